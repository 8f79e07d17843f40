package io.zerorename.report;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileUtil;

/**
 * Where a run leaves its reports and its log, and a directory for data that is gone after {@link
 * #close} and after Ctrl-C.
 *
 * @param output where reports belong
 * @param temporary an empty directory for data
 */
public record Workspace(Path output, Path temporary) implements Closeable {
  /**
   * Makes the directories, and sends all that is printed from now on to the log: Hive, Tez and
   * Derby print to where they like, and the console is for people.
   *
   * @param name of the program, for the names of log and directory
   */
  static Workspace open(Path output, String name) throws IOException {
    Files.createDirectories(output);
    Workspace workspace =
        new Workspace(output, Files.createTempDirectory("zerorename-" + name + "-"));
    // For Ctrl-C; the JVM's end by halt runs no hooks.
    Runtime.getRuntime().addShutdownHook(new Thread(workspace::close, name + "-clean-up"));
    PrintStream log =
        new PrintStream(
            Files.newOutputStream(output.resolve(name + ".log")), true, StandardCharsets.UTF_8);
    System.setErr(log);
    System.setOut(log);
    return workspace;
  }

  @Override
  public void close() {
    if (!FileUtil.fullyDelete(temporary.toFile())) {
      System.err.println("not all of " + temporary + " could be deleted; what stays can go");
    }
  }
}
