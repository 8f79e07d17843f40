package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Command;
import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * BeeLine in a process of its own, as a scheduler starts it: the program of Hive 3.1.3, since later
 * ones do not resolve, with the JDBC driver of HiveServer2's own version.
 */
final class Beeline implements Closeable {
  private static final String MAIN = "org.apache.hive.beeline.BeeLine";

  private final ChildJvm process;
  private final Path log;

  private Beeline(ChildJvm process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * The arguments of the command that the page of retries recommends for a day.
   *
   * @param more what the page leaves out
   */
  static List<String> recommended(String day, List<String> more) {
    List<String> commands =
        Page.of(SourceTree.root().resolve("docs/retries.md")).code().stream()
            .filter(code -> code.startsWith("beeline "))
            .toList();
    assertThat(commands).hasSize(1);
    String command = commands.get(0);
    assertThat(command).endsWith(" …");
    List<String> arguments = new ArrayList<>(Command.of(command.replace(" …", "")).arguments());
    arguments.replaceAll(word -> word.replaceFirst("\\d{4}-\\d\\d-\\d\\d", day));
    arguments.addAll(more);
    return arguments;
  }

  /**
   * Starts it.
   *
   * @param directory of its own, where it finds the script
   */
  static Beeline start(Path directory, HiveServer2Process hive, List<String> arguments)
      throws IOException {
    List<String> all = new ArrayList<>(List.of("-u", hive.url(), "-n", "user"));
    all.addAll(arguments);
    Path log = directory.resolve("beeline.log");
    ChildJvm process =
        ChildJvm.start(
            new ChildJvm.Command(
                    MAIN,
                    System.getProperty("java.class.path"),
                    List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                    all,
                    Map.of())
                .withModulesOpen(),
            log);
    return new Beeline(process, log);
  }

  /** Whether it has succeeded, once it has ended. */
  boolean succeeds() throws IOException, InterruptedException {
    process.awaitEnd(Await.LIMIT);
    return process.exitCode() == 0;
  }

  /** What it has told its user. */
  String told() throws IOException, InterruptedException {
    return String.join("\n", process.output()) + "\n" + Files.readString(log);
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
