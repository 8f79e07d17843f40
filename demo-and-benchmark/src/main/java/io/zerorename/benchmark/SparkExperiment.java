package io.zerorename.benchmark;

import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.sparkjvm.SparkSubject;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes of Spark into partitions, with its own commit protocols and with ours. */
final class SparkExperiment implements Experiment {
  private static final String MAIN = "io.zerorename.testing.spark.MeasuredWrites";

  /** Of each partition, by that class. */
  private static final int ROWS = 1_500;

  /** A text table of Hive's. */
  private static final String HIVE = "hive";

  private static final Kind WARM_UP = new Kind("parquet", "append", 3, 1);

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

  private SparkJvm spark;

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
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (Kind kind : KINDS) {
      for (SparkSubject subject : SparkSubject.ALL) {
        if (kind.isRightBy(subject)) {
          double requests = kind.files() * subject.requestsPerFile();
          trials.add(
              new Trial(
                  kind.caseName(),
                  subject.title(),
                  kind.partitions() == 100,
                  requests > 2_000,
                  // With those that create the partitions.
                  30 + 2 * requests,
                  (server, round) -> write(subject, kind, server, round)));
        }
      }
    }
    return trials;
  }

  @Override
  public void start(SlowServer server, Path directory) throws IOException, InterruptedException {
    spark =
        SparkJvm.start(
            MAIN,
            server.bucket().access(),
            directory,
            directory.resolve("spark.log"),
            Map.of(
                "spark.app.name",
                "benchmark",
                "spark.hadoop.fs.s3a.committer.magic.track.commits.in.memory.enabled",
                "true",
                "spark.hadoop.fs.s3a.committer.staging.tmp.path",
                directory.resolve("committers").toString()));
    for (SparkSubject subject : SparkSubject.ALL) {
      write(subject, WARM_UP, server, 0);
      write(subject, WARM_UP, server, 0);
    }
  }

  @Override
  public void close() throws IOException {
    if (spark != null) {
      spark.close();
    }
  }

  private Sample write(SparkSubject subject, Kind kind, SlowServer server, int round)
      throws IOException, InterruptedException {
    String prefix = "spark/" + kind.caseName() + "-" + subject.title() + "-" + round;
    String table = server.bucket().location(prefix);
    try {
      send(kind, "append", SparkSubject.ZERO_RENAME, table);
      Measured<String> measured = server.measure(() -> send(kind, kind.mode(), subject, table));
      if (subject.equals(SparkSubject.ZERO_RENAME) && measured.requests().copies() > 0) {
        throw new IOException(prefix + " was written with renames, and so not by zero-rename");
      }
      // An append leaves what has created the partitions, which is as large.
      int writes = kind.mode().equals("append") ? 2 : 1;
      List<Long> sizes = server.dataFiles(prefix, writes * kind.files());
      String[] words = measured.result().split(" ", 3);
      double tasks = Double.parseDouble(words[1]);
      double total = Double.parseDouble(words[2]);
      return new Sample(
          kind.files(),
          sizes.stream().mapToLong(Long::longValue).sum() / writes,
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
}
