package io.zerorename.testing.hive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hive.common.io.SessionStream;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.processors.CommandProcessor;
import org.apache.hadoop.hive.ql.processors.CommandProcessorException;
import org.apache.hadoop.hive.ql.processors.CommandProcessorFactory;
import org.apache.hadoop.hive.ql.session.SessionState;

/**
 * A cluster's Hive as a user has it before anything is installed: the main class of a process whose
 * class path knows nothing of the committer. It opens a session as HiveServer2 does for a client,
 * takes a statement in each line of its input until that ends, and answers with the console's lines
 * and the rows, and then one line that says how the statement ended.
 *
 * <p>It is one class file, and uses no other of this project's.
 */
final class HiveSession {
  /** Begins the answer's last line where the statement succeeded. */
  static final String DONE = "done";

  /** Begins the answer's last line where it failed; what Hive said follows. */
  static final String FAILED = "failed ";

  private HiveSession() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    // Hive, Tez and Derby print to where they like.
    System.setOut(System.err);
    requireNothingOfOurs();
    HiveConf conf = new HiveConf();
    SessionState session = new SessionState(conf);
    SessionState.start(session);
    // HiveServer2 does this when it opens a session.
    session.loadAuxJars();
    session.out = new SessionStream(out);
    session.err = new SessionStream(out);
    session.info = new SessionStream(out);
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      String statement;
      while ((statement = in.readLine()) != null) {
        try {
          rows(statement, conf).forEach(out::println);
          out.println(DONE);
        } catch (CommandProcessorException e) {
          out.println(FAILED + String.valueOf(e.getMessage()).replace('\n', ' '));
        }
      }
    }
    // Tez leaves threads behind that would keep the JVM alive.
    Runtime.getRuntime().halt(0);
  }

  /** Else a test could not tell by what way Hive has the committer. */
  private static void requireNothingOfOurs() {
    for (String name :
        List.of("core/config/Version", "magic/fs/PendingFileSystem", "hive/ZeroRenameHook")) {
      String file = "io/zerorename/" + name + ".class";
      if (ClassLoader.getSystemResource(file) != null) {
        throw new IllegalStateException(
            file + " is on the class path before anything is installed");
      }
    }
  }

  private static List<String> rows(String statement, HiveConf conf) throws Exception {
    String[] words = statement.split("\\s+");
    CommandProcessor processor = CommandProcessorFactory.get(words, conf);
    if (!(processor instanceof IDriver driver)) {
      processor.run(statement.substring(words[0].length()).strip());
      return List.of();
    }
    try {
      driver.run(statement);
      return results(driver);
    } finally {
      driver.close();
      driver.destroy();
    }
  }

  private static List<String> results(IDriver driver) throws IOException {
    List<String> rows = new ArrayList<>();
    List<Object> batch = new ArrayList<>();
    while (driver.getResults(batch)) {
      batch.forEach(row -> rows.add(String.valueOf(row)));
      batch.clear();
    }
    return rows;
  }
}
