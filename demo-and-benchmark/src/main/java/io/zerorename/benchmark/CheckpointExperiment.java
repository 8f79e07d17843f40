package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.Progress;
import io.zerorename.testing.s3server.RequestCounts;
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
  static final String STATELESS = "stateless";
  static final String STATEFUL = "stateful";
  static final String DSTREAM = "dstream";
  static final String RDD = "rdd";

  private static final String MAIN = "io.zerorename.testing.spark.MeasuredBatches";
  private static final String MANAGER = "spark.sql.streaming.checkpointFileManagerClass";
  static final int BATCHES = 20;
  static final int PARTITIONS = 10;

  private final BenchmarkOptions options;
  private final Servers servers;
  private SlowServer server;
  private SparkJvm spark;
  private Path directory;

  CheckpointExperiment(BenchmarkOptions options, Servers servers) {
    this.options = options;
    this.servers = servers;
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

    String title() {
      return title;
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
  public Suite suite() {
    return Suite.CHECKPOINT;
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int latency : options.latencies()) {
      if (!options.isAside(latency)) {
        for (String kind : List.of(STATELESS, STATEFUL, DSTREAM, RDD)) {
          cases.add(
              new Case(
                  kind,
                  latency,
                  Arrays.stream(Subject.values())
                      .filter(subject -> subject.isIn(kind))
                      .<Trial>map(subject -> new Checkpoints(subject, kind, latency))
                      .toList()));
        }
      }
    }
    return cases;
  }

  @Override
  public void start(Path home, Progress progress) throws IOException, InterruptedException {
    progress.step("preparing S3, starting Spark, and warming up each manager of checkpoints");
    directory = home;
    server = servers.start(home, Suite.CHECKPOINT);
    spark =
        SparkJvm.start(
            MAIN,
            server.access(),
            home,
            home.resolve("spark.log"),
            Map.of(
                "spark.app.name",
                "benchmark",
                "spark.hadoop.fs.s3a-checkpoint.impl",
                "io.zerorename.spark.CheckpointFileSystem"));
    for (Subject subject : Subject.values()) {
      if (options.hasSubject(subject.title)) {
        for (String kind : List.of(STATEFUL, DSTREAM, RDD)) {
          new Checkpoints(subject, kind, 0).run(-1);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (spark != null) {
      spark.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private final class Checkpoints implements Trial {
    private final Subject subject;
    private final String kind;
    private final int latency;

    private Checkpoints(Subject subject, String kind, int latency) {
      this.subject = subject;
      this.kind = kind;
      this.latency = latency;
    }

    @Override
    public String subject() {
      return subject.title;
    }

    @Override
    public double estimatedSeconds() {
      return 10 + BATCHES * (subject == Subject.DEFAULT ? 0.05 : 0.01) * latency;
    }

    @Override
    public double estimatedRequests() {
      return BATCHES * (subject == Subject.DEFAULT ? 60 : 25);
    }

    @Override
    public Sample run(int round) throws IOException, InterruptedException {
      String prefix = "checkpoints/" + kind + "-" + subject() + "-" + round;
      double[] seconds = new double[1];
      RequestCounts requests;
      try {
        if (kind.equals(RDD)) {
          requests =
              server.measure(
                  latency,
                  () -> seconds[0] = measured("rdd\t" + place(prefix) + "\t" + PARTITIONS));
        } else {
          spark.ask("begin\t" + kind + "\t" + place(prefix) + settings(), "begun"::equals);
          requests = server.measure(latency, () -> seconds[0] = measured("batches\t" + BATCHES));
          spark.ask("end", "ended"::equals);
        }
      } finally {
        server.contents().clear(prefix);
      }
      return new Sample(
          kind.equals(RDD) ? PARTITIONS : BATCHES,
          requests.bytesUploaded(),
          Map.of(Sample.TASKS, 0.0, Sample.COMMIT, seconds[0], Sample.TOTAL, seconds[0]),
          requests.byApiName(),
          Map.of(),
          "");
    }

    private double measured(String line) throws IOException {
      Predicate<String> last = answer -> answer.startsWith("measured ");
      List<String> answer = spark.ask(line, last);
      return Double.parseDouble(answer.get(answer.size() - 1).split(" ", 2)[1]);
    }

    private String place(String prefix) {
      if (subject == Subject.LOCAL_DISK) {
        return directory.resolve(prefix).toUri().toString();
      }
      boolean own = subject == Subject.ZERO_RENAME && !hasManager(kind);
      String location = server.location(prefix);
      return own ? location.replaceFirst("^s3a:", "s3a-checkpoint:") : location;
    }

    private String settings() {
      return subject.manager.isEmpty() ? "" : "\t" + MANAGER + "=" + subject.manager;
    }
  }
}
