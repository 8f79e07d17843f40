package io.zerorename.report;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of this module in a process of its own, as its script starts it. */
public final class JavaProgram {

  private final Class<?> main;
  private final String name;
  private final Path output;

  /**
   * @param name of the program, in its arguments file and in its system property
   * @param output where it leaves its reports, and its console in a file of that name
   */
  public JavaProgram(Class<?> main, String name, Path output) {
    this.main = main;
    this.name = name;
    this.output = output;
  }

  /** Runs it to its end and returns its exit code. */
  public int run(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + Path.of(System.getProperty("basedir", ""), "target", "run", name + ".args"),
                "-Dzerorename." + name + ".output=" + output,
                "-Dzerorename.s3proxy.jar=" + System.getProperty("zerorename.s3proxy.jar"),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
    command.addAll(1, ChildJvm.UNVERIFIED);
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.resolve("console").toFile());
    builder.environment().putAll(EmbeddedS3Server.environment());
    Process process = builder.start();
    try {
      if (!process.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(
            name + " still runs after " + Await.LIMIT.toMinutes() + " minutes");
      }
    } finally {
      process.destroyForcibly();
    }
    return process.exitValue();
  }

  /** All that it has said to a person. */
  public String console() throws IOException {
    return Files.readString(output.resolve("console"), StandardCharsets.UTF_8);
  }
}
