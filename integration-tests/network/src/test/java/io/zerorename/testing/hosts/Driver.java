package io.zerorename.testing.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.network.Network;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.S3Access;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A driver of Spark on a host, which runs one statement after the other. */
final class Driver implements Closeable {
  private static final String MAIN = "io.zerorename.testing.spark.MeasuredStatements";
  private static final String SUCCESS = "ran";

  private final SparkJvm spark;

  private Driver(SparkJvm spark) {
    this.spark = spark;
  }

  /**
   * Starts it.
   *
   * @param directory for what it keeps on local disk, with its log
   * @param more settings of Spark
   */
  static Driver start(Network.Host host, S3Access s3, Path directory, Map<String, String> more)
      throws IOException {
    Map<String, String> settings = new TreeMap<>();
    settings.put("spark.master", "local[2]");
    settings.put("spark.driver.host", host.address());
    settings.put("spark.driver.bindAddress", host.address());
    settings.put(
        "spark.sql.sources.commitProtocolClass", "io.zerorename.spark.ZeroRenameCommitProtocol");
    // Of a live driver nobody completes a commit so early.
    settings.put("spark.hadoop.zerorename.recovery.patience", "300");
    settings.putAll(more);
    Files.createDirectories(directory);
    ChildJvm.Command command =
        SparkJvm.command(MAIN, s3, directory, settings)
            .withOptions(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    return new Driver(SparkJvm.start(host.on(command), directory.resolve("spark.log")));
  }

  /** A statement that runs. */
  record Running(FutureTask<String> answer) {
    /** Why it has failed; empty where it has succeeded. */
    String failure() throws Exception {
      return answer.get(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    boolean isDone() {
      return answer.isDone();
    }

    void succeeds() throws Exception {
      assertThat(failure()).isEmpty();
    }
  }

  Running begin(String statement) {
    FutureTask<String> answer = new FutureTask<>(() -> answer(statement));
    Thread thread = new Thread(answer, statement);
    thread.setDaemon(true);
    thread.start();
    return new Running(answer);
  }

  private String answer(String statement) throws IOException {
    List<String> lines =
        spark.ask(statement, it -> it.startsWith(SUCCESS + " ") || it.startsWith("failed "));
    String last = lines.get(lines.size() - 1);
    return last.startsWith(SUCCESS) ? "" : last;
  }

  @Override
  public void close() throws IOException {
    spark.close();
  }
}
