package io.zerorename.benchmark;

import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What Spark's checkpoints cost: batches of a streaming query and of a DStream, and the checkpoint
 * of an RDD.
 */
final class CheckpointExperiment implements Experiment {
  private static final String RDD = "rdd";

  private static final List<String> KINDS = List.of("stateless", "stateful", "dstream", RDD);

  /** The kinds that ask a manager of checkpoints. */
  private static final List<String> QUERIES = KINDS.subList(0, 2);

  private static final String MAIN = "io.zerorename.testing.spark.MeasuredBatches";
  private static final String MANAGER = "spark.sql.streaming.checkpointFileManagerClass";
  private static final int BATCHES = 20;
  private static final int PARTITIONS = 10;

  private SparkJvm spark;
  private Path directory;

  /** Who writes checkpoints. */
  private enum Subject {
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
  }

  @Override
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (String kind : KINDS) {
      for (Subject subject : Subject.values()) {
        if (subject != Subject.ABORTABLE || QUERIES.contains(kind)) {
          trials.add(
              new Trial(
                  kind,
                  subject.title,
                  false,
                  false,
                  BATCHES * (subject == Subject.DEFAULT ? 60 : 25),
                  (server, round) -> checkpoints(subject, kind, server, round)));
        }
      }
    }
    return trials;
  }

  @Override
  public void start(SlowServer server, Path directory) throws IOException, InterruptedException {
    this.directory = directory;
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
    for (Trial trial : trials()) {
      trial.run().run(server, 0);
    }
  }

  @Override
  public void close() throws IOException {
    if (spark != null) {
      spark.close();
    }
  }

  private Sample checkpoints(Subject subject, String kind, SlowServer server, int round)
      throws IOException, InterruptedException {
    String prefix = "checkpoints/" + kind + "-" + subject.title + "-" + round;
    String place = place(subject, kind, server, prefix);
    Measured<Double> measured;
    try {
      if (kind.equals(RDD)) {
        measured = server.measure(() -> seconds("rdd\t" + place + "\t" + PARTITIONS));
      } else {
        String manager = subject.manager.isEmpty() ? "" : "\t" + MANAGER + "=" + subject.manager;
        spark.ask("begin\t" + kind + "\t" + place + manager, "begun"::equals);
        measured = server.measure(() -> seconds("batches\t" + BATCHES));
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

  private double seconds(String line) throws IOException {
    List<String> answer = spark.ask(line, last -> last.startsWith("measured "));
    return Double.parseDouble(answer.get(answer.size() - 1).split(" ", 2)[1]);
  }

  private String place(Subject subject, String kind, SlowServer server, String prefix) {
    if (subject == Subject.LOCAL_DISK) {
      return directory.resolve(prefix).toUri().toString();
    }
    boolean own = subject == Subject.ZERO_RENAME && !QUERIES.contains(kind);
    String location = server.bucket().location(prefix);
    return own ? location.replaceFirst("^s3a:", "s3a-checkpoint:") : location;
  }
}
