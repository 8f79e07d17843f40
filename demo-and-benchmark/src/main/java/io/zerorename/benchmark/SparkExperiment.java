package io.zerorename.benchmark;

import io.zerorename.report.Progress;
import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.sparkjvm.SparkSubject;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Writes of Spark into partitions, with its own commit protocols and with ours. */
final class SparkExperiment implements Experiment {
  private static final String MAIN = "io.zerorename.testing.spark.MeasuredWrites";

  /** Of each partition, by that class. */
  private static final int ROWS = 1_500;

  /** A text table of Hive's. */
  private static final String HIVE = "hive";

  private static final List<Kind> KINDS =
      List.of(
          new Kind("parquet", "dynamic", 10, 1),
          new Kind("parquet", "dynamic", 100, 1),
          new Kind("parquet", "dynamic", 300, 1),
          new Kind("csv", "dynamic", 300, 1),
          new Kind("parquet", "append", 100, 1),
          new Kind("parquet", "overwrite", 100, 1),
          new Kind(HIVE, "dynamic", 10, 1),
          new Kind(HIVE, "dynamic", 100, 1),
          new Kind(HIVE, "dynamic", 300, 1),
          new Kind(HIVE, "append", 100, 1),
          // As many files as a published case has.
          new Kind(HIVE, "append", 1_063, 2));

  private final BenchmarkOptions options;
  private SlowServer server;
  private SparkJvm spark;

  SparkExperiment(BenchmarkOptions options) {
    this.options = options;
  }

  /**
   * What is written, and how many files to each partition.
   *
   * @param mode {@code append}, {@code overwrite} or {@code dynamic}
   */
  private record Kind(String format, String mode, int partitions, int filesEach) {
    String caseName() {
      return format + "-" + mode + "-P" + partitions + (filesEach == 1 ? "" : "-x" + filesEach);
    }

    int files() {
      return partitions * filesEach;
    }

    /** Hive's client moves what was committed, and replaces partitions itself. */
    boolean isRightBy(SparkSubject subject) {
      return format.equals(HIVE) || subject.isRightIn(mode);
    }
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int latency : options.latencies) {
      for (Kind kind : KINDS) {
        boolean typical = kind.partitions() == 100;
        if (typical || !options.isAside(latency)) {
          cases.add(
              new Case(
                  kind.caseName(),
                  latency,
                  Arrays.stream(SparkSubject.values())
                      .filter(kind::isRightBy)
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
    progress.step("preparing S3, starting Spark, and warming up each way");
    this.server = server;
    spark =
        SparkJvm.start(
            MAIN,
            server.bucket().access(),
            directory,
            directory.resolve("spark.log"),
            settings(directory));
    for (SparkSubject subject : SparkSubject.values()) {
      if (options.hasSubject(subject.title())) {
        for (int time = 0; time < 2; time++) {
          write(subject, new Kind("parquet", "append", 3, 1), 0, time);
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
  }

  private Trial trial(SparkSubject subject, Kind kind, int latency) {
    return new Trial(
        subject.title(),
        kind.files() * (1 + subject.requestsInARow()) > 2_000,
        // With those that create the partitions.
        30 + kind.files() * 2 * (1 + subject.requestsInARow()),
        round -> write(subject, kind, latency, round));
  }

  private Sample write(SparkSubject subject, Kind kind, int latency, int round)
      throws IOException, InterruptedException {
    String prefix = "spark/" + kind.caseName() + "-" + subject.title() + "-" + round;
    String table = server.bucket().location(prefix);
    try {
      send(kind, "append", SparkSubject.ZERO_RENAME, table);
      Measured<String> measured =
          server.measure(latency, () -> send(kind, kind.mode(), subject, table));
      if (subject == SparkSubject.ZERO_RENAME && measured.requests().copies() > 0) {
        throw new IOException(prefix + " was written with renames, and so not by zero-rename");
      }
      String[] words = measured.result().split(" ", 3);
      double tasks = Double.parseDouble(words[1]);
      double total = Double.parseDouble(words[2]);
      return new Sample(
          kind.files(),
          check(subject, kind, prefix),
          Map.of(Sample.TASKS, tasks, Sample.COMMIT, total - tasks, Sample.TOTAL, total),
          measured.requests().byApiName());
    } finally {
      server.bucket().contents().clear(prefix);
    }
  }

  private String send(Kind kind, String mode, SparkSubject by, String table) throws IOException {
    List<String> words =
        new ArrayList<>(List.of(kind.format(), mode, String.valueOf(kind.partitions()), table));
    by.settings().forEach((name, value) -> words.add(name + "=" + value));
    words.add("spark.sql.files.maxRecordsPerFile=" + ROWS / kind.filesEach());
    List<String> answer = spark.ask(String.join("\t", words), line -> line.startsWith("measured "));
    return answer.get(answer.size() - 1);
  }

  private long check(SparkSubject subject, Kind kind, String prefix) throws IOException {
    List<Long> sizes =
        server.bucket().contents().objects(prefix + "/").entrySet().stream()
            .filter(object -> object.getKey().contains("/part-"))
            .map(Map.Entry::getValue)
            .toList();
    int expected = kind.mode().equals("append") ? 2 * kind.files() : kind.files();
    if (sizes.size() != expected) {
      throw new IOException(
          "%s has left %d files in %s, not %d"
              .formatted(subject.title(), sizes.size(), prefix, expected));
    }
    return sizes.stream().mapToLong(Long::longValue).sum();
  }
}
