package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.Progress;
import io.zerorename.sparkjvm.SparkSubject;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Writes of Spark into partitions, with its own commit protocols and with ours. */
final class SparkExperiment implements Experiment {
  static final int PARTITIONS = 300;

  private static final String MAIN = "io.zerorename.testing.spark.MeasuredWrites";

  /** Of each partition, by that class. */
  private static final int ROWS = 1_500;

  /** A text table of Hive's. */
  private static final String HIVE = "hive";

  private static final List<Kind> KINDS =
      List.of(
          new Kind("parquet", "dynamic", 10, 1),
          new Kind("parquet", "dynamic", 100, 1),
          new Kind("parquet", "dynamic", PARTITIONS, 1),
          new Kind("csv", "dynamic", PARTITIONS, 1),
          new Kind("parquet", "append", 100, 1),
          new Kind("parquet", "overwrite", 100, 1),
          new Kind(HIVE, "dynamic", 10, 1),
          new Kind(HIVE, "dynamic", 100, 1),
          new Kind(HIVE, "dynamic", PARTITIONS, 1),
          new Kind(HIVE, "append", 100, 1),
          // As many files as a published case has.
          new Kind(HIVE, "append", 1_063, 2));

  private final BenchmarkOptions options;
  private final Servers servers;
  private SlowServer server;
  private SparkJvm spark;

  SparkExperiment(BenchmarkOptions options, Servers servers) {
    this.options = options;
    this.servers = servers;
  }

  /** What is written, and how many files to each partition. */
  private record Kind(String format, String mode, int partitions, int filesEach) {
    String caseName() {
      return SparkExperiment.caseName(format, mode, partitions)
          + (filesEach == 1 ? "" : "-x" + filesEach);
    }

    int files() {
      return partitions * filesEach;
    }

    /** Hive's client moves what was committed, and replaces partitions itself. */
    boolean isRightBy(SparkSubject subject) {
      return format.equals(HIVE) || subject.isRightIn(mode);
    }
  }

  /**
   * The name of a case.
   *
   * @param mode {@code append}, {@code overwrite} or {@code dynamic}
   */
  static String caseName(String format, String mode, int partitions) {
    return format + "-" + mode + "-P" + partitions;
  }

  @Override
  public Suite suite() {
    return Suite.SPARK;
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int latency : options.latencies()) {
      for (Kind kind : KINDS) {
        boolean typical = kind.partitions() == 100;
        if (typical || !options.isAside(latency)) {
          cases.add(
              new Case(
                  kind.caseName(),
                  latency,
                  Arrays.stream(SparkSubject.values())
                      .filter(kind::isRightBy)
                      .<Trial>map(subject -> new Write(subject, kind, latency))
                      .toList()));
        }
      }
    }
    return cases;
  }

  @Override
  public void start(Path directory, Progress progress) throws IOException, InterruptedException {
    progress.step("preparing S3, starting Spark, and warming up each way");
    server = servers.start(directory, Suite.SPARK);
    spark =
        SparkJvm.start(
            MAIN, server.access(), directory, directory.resolve("spark.log"), settings(directory));
    for (SparkSubject subject : SparkSubject.values()) {
      if (options.hasSubject(subject.title())) {
        for (int time = 0; time < 2; time++) {
          new Write(subject, new Kind("parquet", "append", 3, 1), 0).run(time);
        }
      }
    }
  }

  /** Of the file system, which all subjects share. */
  private static Map<String, String> settings(Path directory) {
    return Map.of(
        "spark.app.name",
        "benchmark",
        "spark.hadoop.fs.s3a.committer.magic.track.commits.in.memory.enabled",
        "true",
        "spark.hadoop.fs.s3a.committer.staging.tmp.path",
        directory.resolve("committers").toString());
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

  private final class Write implements Trial {
    private final SparkSubject subject;
    private final Kind kind;
    private final int latency;

    private Write(SparkSubject subject, Kind kind, int latency) {
      this.subject = subject;
      this.kind = kind;
      this.latency = latency;
    }

    @Override
    public String subject() {
      return subject.title();
    }

    @Override
    public double estimatedSeconds() {
      return 2 + kind.files() * 0.02 + kind.files() * subject.requestsInARow() * latency / 1000;
    }

    /** With those that create the partitions. */
    @Override
    public double estimatedRequests() {
      return 30 + kind.files() * 2 * (1 + subject.requestsInARow());
    }

    @Override
    public Sample run(int round) throws IOException, InterruptedException {
      String prefix = "spark/" + kind.caseName() + "-" + subject() + "-" + round;
      String table = server.location(prefix);
      try {
        write("append", SparkSubject.ZERO_RENAME, table);
        double[] seconds = new double[2];
        RequestCounts requests =
            server.measure(
                latency,
                () -> {
                  String[] words = write(kind.mode(), subject, table).split(" ", 3);
                  seconds[0] = Double.parseDouble(words[1]);
                  seconds[1] = Double.parseDouble(words[2]);
                });
        long bytes = check(prefix);
        return new Sample(
            kind.files(),
            bytes,
            Map.of(
                Sample.TASKS, seconds[0],
                Sample.COMMIT, seconds[1] - seconds[0],
                Sample.TOTAL, seconds[1]),
            requests.byApiName(),
            Map.of(),
            "");
      } finally {
        server.contents().clear(prefix);
      }
    }

    private String write(String mode, SparkSubject by, String table) throws IOException {
      List<String> words =
          new ArrayList<>(List.of(kind.format(), mode, String.valueOf(kind.partitions()), table));
      by.settings().forEach((name, value) -> words.add(name + "=" + value));
      words.add("spark.sql.files.maxRecordsPerFile=" + ROWS / kind.filesEach());
      List<String> answer =
          spark.ask(String.join("\t", words), line -> line.startsWith("measured "));
      return answer.get(answer.size() - 1);
    }

    private long check(String prefix) throws IOException {
      List<Long> sizes =
          server.contents().objects(prefix + "/").entrySet().stream()
              .filter(object -> object.getKey().contains("/part-"))
              .map(Map.Entry::getValue)
              .toList();
      int expected = kind.mode().equals("append") ? 2 * kind.files() : kind.files();
      if (sizes.size() != expected) {
        throw new IOException(
            "%s has left %d files in %s, not %d"
                .formatted(subject(), sizes.size(), prefix, expected));
      }
      return sizes.stream().mapToLong(Long::longValue).sum();
    }
  }
}
