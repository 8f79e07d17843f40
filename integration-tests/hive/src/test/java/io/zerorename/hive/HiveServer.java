package io.zerorename.hive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.StatementFailedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * The main class of a process that runs Hive, as HiveServer2 does, until its input ends. It takes a
 * statement in each line and answers with its rows and then one line that says how it ended. A line
 * that begins with {@value #SET} changes a setting.
 */
final class HiveServer {
  /** Begins the answer's last line where the statement succeeded. */
  static final String DONE = "done";

  /** Begins the answer's last line where it failed; what Hive said follows. */
  static final String FAILED = "failed ";

  /** Begins a row of an answer. */
  static final String ROW = "row ";

  /** Begins a line that changes a setting; {@code key=value} follows. */
  static final String SET = "set ";

  /** A line that ends the process as {@code hive -e} ends after its statement. */
  static final String EXIT = "exit";

  private HiveServer() {}

  /** Takes the directory of Hive's files, and settings as {@code key=value}. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    // Hive, Tez and Derby print to where they like.
    System.setOut(System.err);
    Map<String, String> settings = new HashMap<>();
    for (int i = 1; i < arguments.length; i++) {
      Map.Entry<String, String> setting = setting(arguments[i]);
      settings.put(setting.getKey(), setting.getValue());
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    LocalHive hive = LocalHive.start(Path.of(arguments[0]), settings);
    String sql;
    while ((sql = in.readLine()) != null) {
      if (sql.equals(EXIT)) {
        exit(hive);
      }
      try {
        if (sql.startsWith(SET)) {
          Map.Entry<String, String> setting = setting(sql.substring(SET.length()));
          hive.set(setting.getKey(), setting.getValue());
        } else {
          hive.execute(sql).forEach(row -> out.println(ROW + row));
        }
        out.println(DONE);
      } catch (StatementFailedException e) {
        out.println(FAILED + e.getMessage().replace('\n', ' '));
      }
    }
    // Tez leaves threads behind that would keep the JVM alive.
    Runtime.getRuntime().halt(0);
  }

  /** The session is closed, and what was registered for the exit of the process runs. */
  private static void exit(LocalHive hive) throws IOException {
    // After all others of Hadoop's hooks. Tez leaves one beside them that never ends.
    ShutdownHookManager.get().addShutdownHook(() -> Runtime.getRuntime().halt(0), 1);
    hive.close();
    System.exit(0);
  }

  private static Map.Entry<String, String> setting(String text) {
    String[] pair = text.split("=", 2);
    return Map.entry(pair[0], pair[1]);
  }
}
