package io.zerorename.testing.sparkjvm;

import io.zerorename.testing.docs.Command;
import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * The command {@code spark-submit} of the page on repeated runs, as it stands there, in a directory
 * with the jar of the program. The script of a distribution does no more than to find the class
 * path for the class that is run here.
 */
public final class SparkSubmit {
  private static final String MAIN = "org.apache.spark.deploy.SparkSubmit";
  private static final String PROGRAM = "com/example/Orders.class";

  private final Path directory;
  private final ChildJvm.Command command;
  private int runs;

  private SparkSubmit(Path directory, ChildJvm.Command command) {
    this.directory = directory;
    this.command = command;
  }

  /**
   * Writes the jar, and the configuration.
   *
   * @param directory whose {@code conf} may hold the configuration of a cluster
   * @param jvm with Spark's class path
   * @param classes the directory with the class of the program
   * @param settings of spark-defaults.conf
   */
  public static SparkSubmit in(
      Path directory, ChildJvm.Command jvm, Path classes, Map<String, String> settings)
      throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf"));
    Files.write(
        conf.resolve("spark-defaults.conf"),
        settings.entrySet().stream().map(it -> it.getKey() + " " + it.getValue()).toList());
    try (OutputStream out = Files.newOutputStream(directory.resolve("orders.jar"));
        JarOutputStream jar = new JarOutputStream(out)) {
      jar.putNextEntry(new JarEntry(PROGRAM));
      Files.copy(classes.resolve(PROGRAM), jar);
    }
    List<Command> typed =
        Page.of(SourceTree.root().resolve("docs/retries.md"))
            .commands()
            .filter(it -> it.program().equals("spark-submit"))
            .toList();
    if (typed.size() != 1) {
      throw new IOException("the page has " + typed.size() + " of these commands");
    }
    return new SparkSubmit(
        directory,
        new ChildJvm.Command(
            MAIN,
            conf + ":" + jvm.classPath(),
            jvm.withOptions(List.of("-Xmx1g")).options(),
            typed.get(0).arguments(),
            Map.of("SPARK_CONF_DIR", conf.toString(), "HADOOP_CONF_DIR", conf.toString())));
  }

  /** Types the command. */
  public ChildJvm start() throws IOException {
    runs++;
    return ChildJvm.start(command, directory.resolve("submit-" + runs + ".log"));
  }

  /**
   * Types it, and kills its process at a request.
   *
   * @param files that the process writes before such requests count
   * @return whether it came to that request
   * @throws AssertionError if it has neither come there nor succeeded
   */
  public boolean isKilled(Kill kill, int files, S3Gateway way)
      throws IOException, InterruptedException {
    try (ChildJvm process = start()) {
      way.faults(kill.of(process).afterNth(files, FaultRule.type(RequestType.UPLOAD_PART)));
      process.awaitEnd(Await.LIMIT);
      if (!process.wasKilled()) {
        assertSuccess(process);
      }
      return process.wasKilled();
    } finally {
      way.faults(FaultRule.NONE);
    }
  }

  /** Types it, and returns when it has succeeded. */
  public void succeed() throws IOException, InterruptedException {
    try (ChildJvm process = start()) {
      succeeds(process);
    }
  }

  /** Returns when it has succeeded. */
  public static void succeeds(ChildJvm process) throws IOException, InterruptedException {
    process.awaitEnd(Await.LIMIT);
    assertSuccess(process);
  }

  private static void assertSuccess(ChildJvm process) throws IOException {
    if (process.exitCode() != 0) {
      throw new AssertionError(
          "spark-submit ended with " + process.exitCode() + ". " + process.lastOutput());
    }
  }
}
