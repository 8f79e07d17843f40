package io.zerorename.benchmark;

import io.zerorename.report.Progress;
import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What Spark's checkpoints cost: batches of a streaming query and of a DStream, and the checkpoint
 * of an RDD.
 */
final class CheckpointExperiment implements Experiment {
  private static final String STATELESS = "stateless";
  private static final String STATEFUL = "stateful";
  private static final String DSTREAM = "dstream";
  private static final String RDD = "rdd";

  private static final String MAIN = "io.zerorename.testing.spark.MeasuredBatches";
  private static final String MANAGER = "spark.sql.streaming.checkpointFileManagerClass";
  private static final int BATCHES = 20;
  private static final int PARTITIONS = 10;

  private final BenchmarkOptions options;
  private SlowServer server;
  private SparkJvm spark;
  private Path directory;

  CheckpointExperiment(BenchmarkOptions options) {
    this.options = options;
  }

  /** Who writes checkpoints. */
  enum Subject {
    /** By rename, on S3A. */
    DEFAULT("spark-default", ""),
    ABORTABLE(
        "abortable",
        "org.apache.spark.internal.io.cloud.AbortableStreamBasedCheckpointFileManager"),
    /** By rename, on local disk: what a shared file system would be at best. */
    LOCAL_DISK("local-disk", ""),
    ZERO_RENAME("zero-rename", "io.zerorename.spark.ConditionalCheckpointFileManager");

    private final String title;
    private final String manager;

    Subject(String title, String manager) {
      this.title = title;
      this.manager = manager;
    }

    boolean isIn(String kind) {
      return this != ABORTABLE || hasManager(kind);
    }
  }

  /** Only streaming queries ask a manager. */
  private static boolean hasManager(String kind) {
    return kind.equals(STATELESS) || kind.equals(STATEFUL);
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int latency : options.latencies) {
      if (!options.isAside(latency)) {
        for (String kind : List.of(STATELESS, STATEFUL, DSTREAM, RDD)) {
          cases.add(
              new Case(
                  kind,
                  latency,
                  Arrays.stream(Subject.values())
                      .filter(subject -> subject.isIn(kind))
                      .map(subject -> trial(subject, kind, latency))
                      .toList()));
        }
      }
    }
    return cases;
  }

  @Override
  public void start(SlowServer server, Path directory, Progress progress)
      throws IOException, InterruptedException {
    progress.step("preparing S3, starting Spark, and warming up each manager of checkpoints");
    this.directory = directory;
    this.server = server;
    spark =
        SparkJvm.start(
            MAIN,
            server.bucket().access(),
            directory,
            directory.resolve("spark.log"),
            Map.of(
                "spark.app.name",
                "benchmark",
                "spark.hadoop.fs.s3a-checkpoint.impl",
                "io.zerorename.spark.CheckpointFileSystem"));
    for (Subject subject : Subject.values()) {
      if (options.hasSubject(subject.title)) {
        for (String kind : List.of(STATEFUL, DSTREAM, RDD)) {
          checkpoints(subject, kind, 0, -1);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (spark != null) {
      spark.close();
    }
  }

  private Trial trial(Subject subject, String kind, int latency) {
    boolean renames = subject == Subject.DEFAULT;
    return new Trial(
        subject.title,
        false,
        BATCHES * (renames ? 60 : 25),
        round -> checkpoints(subject, kind, latency, round));
  }

  private Sample checkpoints(Subject subject, String kind, int latency, int round)
      throws IOException, InterruptedException {
    String prefix = "checkpoints/" + kind + "-" + subject.title + "-" + round;
    String place = place(subject, kind, prefix);
    Measured<Double> measured;
    try {
      if (kind.equals(RDD)) {
        measured = server.measure(latency, () -> measured("rdd\t" + place + "\t" + PARTITIONS));
      } else {
        spark.ask("begin\t" + kind + "\t" + place + settings(subject), "begun"::equals);
        measured = server.measure(latency, () -> measured("batches\t" + BATCHES));
        spark.ask("end", "ended"::equals);
      }
    } finally {
      server.bucket().contents().clear(prefix);
    }
    double seconds = measured.result();
    return new Sample(
        kind.equals(RDD) ? PARTITIONS : BATCHES,
        measured.requests().bytesUploaded(),
        Map.of(Sample.TASKS, 0.0, Sample.COMMIT, seconds, Sample.TOTAL, seconds),
        measured.requests().byApiName());
  }

  private double measured(String line) throws IOException {
    Predicate<String> last = answer -> answer.startsWith("measured ");
    List<String> answer = spark.ask(line, last);
    return Double.parseDouble(answer.get(answer.size() - 1).split(" ", 2)[1]);
  }

  private String place(Subject subject, String kind, String prefix) {
    if (subject == Subject.LOCAL_DISK) {
      return directory.resolve(prefix).toUri().toString();
    }
    boolean own = subject == Subject.ZERO_RENAME && !hasManager(kind);
    String location = server.bucket().location(prefix);
    return own ? location.replaceFirst("^s3a:", "s3a-checkpoint:") : location;
  }

  private static String settings(Subject subject) {
    return subject.manager.isEmpty() ? "" : "\t" + MANAGER + "=" + subject.manager;
  }
}
