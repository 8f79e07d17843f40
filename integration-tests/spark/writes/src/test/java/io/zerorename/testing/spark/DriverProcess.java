package io.zerorename.testing.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.FaultRule;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** A driver in a JVM of its own, which writes when told to, and may be killed. */
final class DriverProcess {
  private static final String DONE = "done";
  private static final String BATCHES = "batches";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private DriverProcess() {}

  /**
   * Answers {@value LineServer#READY}, and each line, when that is done, {@value #DONE}: the mode
   * of a write and the place of a table, or {@value #BATCHES} and what {@link Sink#run} takes.
   *
   * @param arguments settings as {@code name=value}
   */
  public static void main(String[] arguments) throws IOException {
    LineServer.run(
        arguments,
        spark ->
            (line, answers) -> {
              write(spark, line.split(" "));
              answers.println(DONE);
            });
  }

  private static void write(SparkSession spark, String[] words) {
    if (!words[0].equals(BATCHES)) {
      new Numbers(spark)
          .rows(1_000, 1_100)
          .write()
          .format("csv")
          .partitionBy("p")
          .mode(words[0])
          .save(words[1]);
      return;
    }
    try {
      Sink.RUNS.run(spark, words[1], words[2]);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Has such a driver write the rows from 1,000 to 1,100 to a table, and kills it meanwhile. */
  static void killDuring(SparkOnS3 s3, List<String> settings, String mode, String table, Kill kill)
      throws Exception {
    killAt(s3, settings, mode + " " + table, kill);
  }

  /** The same with a query of {@link Sink#RUNS}. */
  static void killDuringBatches(SparkOnS3 s3, String input, String place, Kill kill)
      throws Exception {
    killAt(s3, s3.settings(), BATCHES + " " + input + " " + place, kill);
  }

  private static void killAt(SparkOnS3 s3, List<String> settings, String line, Kill kill)
      throws Exception {
    ChildJvm.Command command =
        ChildJvm.Command.of(DriverProcess.class).withModulesOpen().withArguments(settings);
    try (ChildJvm driver =
        ChildJvm.start(command, s3.directory().resolve("driver-" + System.nanoTime() + ".log"))) {
      driver.await(0, LineServer.READY::equals, PATIENCE);
      s3.gateway().faults(kill.of(driver));
      driver.send(line);
      driver.awaitEnd(PATIENCE);
      assertThat(driver.wasKilled()).as("killed %s; %s", kill, driver.lastOutput()).isTrue();
      assertThat(driver.output()).doesNotContain(DONE);
    } finally {
      s3.gateway().faults(FaultRule.NONE);
    }
  }
}
