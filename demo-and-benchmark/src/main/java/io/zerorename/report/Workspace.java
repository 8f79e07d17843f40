package io.zerorename.report;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a run leaves its reports and its log, and a directory for data that is gone after {@link
 * #close} and after Ctrl-C.
 */
public final class Workspace implements Closeable {
  private final Path output;
  private final Path log;
  private final Path temporary;

  private Workspace(Path output, Path log, Path temporary) {
    this.output = output;
    this.log = log;
    this.temporary = temporary;
  }

  /**
   * Makes the directories, and sends all that is printed from now on to the log: Hive, Tez and
   * Derby print to where they like, and the console is for people.
   *
   * @param name of the program, for the names of log and directory
   */
  public static Workspace open(Path output, String name) throws IOException {
    Files.createDirectories(output);
    Path temporary = Files.createTempDirectory("zerorename-" + name + "-");
    // For Ctrl-C; the JVM's end by halt runs no hooks.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> Trees.delete(temporary), name + "-clean-up"));
    Path log = output.resolve(name + ".log");
    PrintStream stream = new PrintStream(Files.newOutputStream(log), true, StandardCharsets.UTF_8);
    System.setErr(stream);
    System.setOut(stream);
    return new Workspace(output, log, temporary);
  }

  /** Where reports belong. */
  public Path output() {
    return output;
  }

  public Path log() {
    return log;
  }

  /** An empty directory for data. */
  public Path temporary() {
    return temporary;
  }

  @Override
  public void close() {
    Trees.delete(temporary);
  }
}
