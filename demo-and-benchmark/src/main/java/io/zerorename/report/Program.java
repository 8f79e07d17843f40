package io.zerorename.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import picocli.CommandLine.ParameterException;

/** A program from its command line to its end: what the mains of demo and benchmark share. */
public final class Program {
  /** Everything was measured, and held. */
  public static final int PASSED = 0;

  /** Something broke, or a check did not hold. */
  public static final int FAILED = 1;

  private static final int BAD_OPTION = 2;

  private Program() {}

  /** What a program does between its options and its exit code. */
  @FunctionalInterface
  public interface Body<T> {
    /**
     * Does it.
     *
     * @return the exit code
     * @throws ParameterException if an option turns out to be wrong
     */
    int run(T options, Workspace workspace, Progress progress) throws Exception;
  }

  /**
   * Runs a program and ends the JVM.
   *
   * @param name of the program; the system property {@code zerorename.NAME.output} has the
   *     directory of its reports
   * @param needs what it takes on this machine, for a person whose run has broken
   */
  public static <T extends ProgramOptions> void main(
      String name, T options, String[] arguments, String needs, Body<T> body) {
    PrintStream console = System.out;
    int code;
    try {
      ProgramOptions.read(options, arguments);
      if (options.help()) {
        console.print(ProgramOptions.usage(options));
        code = PASSED;
      } else {
        code = run(name, options, needs, body, console);
      }
    } catch (ParameterException e) {
      console.println(name + ": " + e.getMessage());
      code = BAD_OPTION;
    }
    console.flush();
    System.err.flush();
    // Tez leaves threads behind that would keep the JVM alive.
    Runtime.getRuntime().halt(code);
  }

  private static <T> int run(
      String name, T options, String needs, Body<T> body, PrintStream console) {
    Path output =
        Path.of(System.getProperty("zerorename." + name + ".output", "target/" + name))
            .toAbsolutePath();
    try (Workspace workspace = Workspace.open(output, name)) {
      try {
        return body.run(options, workspace, new Progress(console));
      } catch (ParameterException e) {
        throw e;
      } catch (Exception | AssertionError e) {
        e.printStackTrace();
        console.println(
            name + ": stopped: " + e + (e.getCause() == null ? "" : ": " + e.getCause()));
        console.printf(
            "%s: %s; what happened before is in the logs and reports in %s%n", name, needs, output);
      }
    } catch (IOException e) {
      console.println(name + ": cannot write to " + output + ": " + e);
    }
    return FAILED;
  }
}
