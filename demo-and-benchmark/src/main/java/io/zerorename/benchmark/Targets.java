package io.zerorename.benchmark;

import static io.zerorename.benchmark.CommitterSubject.DIRECTORY;
import static io.zerorename.benchmark.CommitterSubject.MAGIC;
import static io.zerorename.benchmark.CommitterSubject.MAGIC_IN_MEMORY;
import static io.zerorename.benchmark.CommitterSubject.OURS;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.benchmark.Target.Status;
import io.zerorename.report.CommandLine;
import io.zerorename.sparkjvm.SparkSubject;
import io.zerorename.testing.hive.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** What the product must reach, computed from the medians of the rows. */
final class Targets {
  private static final int LATENCY = 30;
  private static final int PARTITIONS = 100;
  private static final String MANY_FILES = new JobShape(20, 50, 100 * 1024).caseName();

  private final Results results;
  private final List<Target> targets = new ArrayList<>();

  private Targets(Results results) {
    this.results = results;
  }

  static List<Target> of(Results results) {
    return new Targets(results).all();
  }

  /** How many times more another subject needs than ours, and in which case. */
  private record Ratio(double value, String where) {}

  private List<Target> all() {
    for (String format : List.of("ORC", "Parquet")) {
      for (boolean overwrite : new boolean[] {true, false}) {
        hive(format, overwrite);
      }
    }
    merged();
    mapReduce();
    spark();
    checkpoints();
    jobCommit();
    upload();
    return targets;
  }

  private void hive(String format, boolean overwrite) {
    String name =
        "Hive, %s, %s, %d partitions"
            .formatted(format, overwrite ? "overwrite" : "append", PARTITIONS);
    String caseName = InsertShape.name(format, overwrite, PARTITIONS);
    atLeast(
        name + ": requests, Hive default to zero-rename",
        18,
        hive(caseName, Subject.STOCK, Targets::requests));
    atLeast(
        name + ": requests, Hive + scratch staging to zero-rename",
        4,
        hive(caseName, Subject.STOCK_SCRATCH, Targets::requests));
    atLeast(
        name + ": seconds, Hive default to zero-rename",
        5,
        hive(caseName, Subject.STOCK, Targets::total));
    atLeast(
        name + ": seconds, Hive + scratch staging to zero-rename",
        1.5,
        hive(caseName, Subject.STOCK_SCRATCH, Targets::total));
    atLeast(
        name + ": commit and move without metastore, Hive default to zero-rename",
        30,
        hive(caseName, Subject.STOCK, Targets::commit));
  }

  private void merged() {
    for (InsertShape shape : InsertShape.MERGED) {
      atLeast(
          "Hive, " + shape.name() + ": requests, Hive + scratch staging to zero-rename",
          3,
          hive(shape.name(), Subject.STOCK_SCRATCH, Targets::requests));
      atLeast(
          "Hive, " + shape.name() + ": seconds, Hive + scratch staging to zero-rename",
          2,
          hive(shape.name(), Subject.STOCK_SCRATCH, Targets::total));
    }
  }

  private List<Ratio> hive(String caseName, Subject other, ToDoubleFunction<Group> value) {
    return ratios(Suite.HIVE, caseName, LATENCY, other.id(), Subject.ZERO_RENAME.id(), value);
  }

  private void mapReduce() {
    List<Ratio> commits = new ArrayList<>();
    List<Ratio> directory = new ArrayList<>();
    for (JobShape shape : JobShape.ALL) {
      for (int threads : CommitterSubject.THREADS) {
        for (String magic : List.of(MAGIC, MAGIC_IN_MEMORY)) {
          commits.addAll(
              mapReduce(shape.caseName(), magic + threads, OURS + threads, Targets::commit));
        }
      }
      directory.addAll(mapReduce(shape.caseName(), DIRECTORY, OURS + 32, Targets::total));
    }
    atLeast(
        "MapReduce: job commit, S3A magic to zero-rename, same threads, worst case", 1, commits);
    atLeast(
        "MapReduce, " + MANY_FILES + ": total, S3A magic to zero-rename, 32 threads",
        1.5,
        mapReduce(MANY_FILES, MAGIC + 32, OURS + 32, Targets::total));
    atLeast(
        "MapReduce, " + MANY_FILES + ": total, S3A magic in memory to zero-rename, 32 threads",
        1,
        mapReduce(MANY_FILES, MAGIC_IN_MEMORY + 32, OURS + 32, Targets::total));
    atLeast("MapReduce: total, S3A directory staging to zero-rename, worst case", 1, directory);
  }

  private List<Ratio> mapReduce(
      String caseName, String other, String ours, ToDoubleFunction<Group> value) {
    return ratios(Suite.MAPREDUCE, caseName, LATENCY, other, ours, value);
  }

  private void spark() {
    for (String format : List.of("parquet", "csv")) {
      String caseName = SparkExperiment.caseName(format, "dynamic", SparkExperiment.PARTITIONS);
      for (SparkSubject stock : List.of(SparkSubject.STOCK_1, SparkSubject.STOCK_2)) {
        atLeast(
            "Spark, " + caseName + ": seconds, " + Words.title(stock.title()) + " to zero-rename",
            stock == SparkSubject.STOCK_1 ? 20 : 2,
            spark(caseName, stock));
      }
    }
    for (String mode : List.of("append", "overwrite")) {
      String caseName = SparkExperiment.caseName("parquet", mode, 100);
      List<Ratio> ratios = new ArrayList<>(spark(caseName, SparkSubject.MAGIC));
      ratios.addAll(spark(caseName, SparkSubject.DIRECTORY));
      atLeast("Spark, " + caseName + ": seconds, fastest of S3A's to zero-rename", 1, ratios);
    }
  }

  private void checkpoints() {
    for (String kind :
        List.of(
            CheckpointExperiment.STATELESS,
            CheckpointExperiment.STATEFUL,
            CheckpointExperiment.RDD)) {
      atLeast(
          "Spark, checkpoints, " + kind + ": seconds, Spark's default to zero-rename",
          4,
          ratios(
              Suite.CHECKPOINT,
              kind,
              LATENCY,
              CheckpointExperiment.Subject.DEFAULT.title(),
              CheckpointExperiment.Subject.ZERO_RENAME.title(),
              Targets::total));
    }
  }

  private List<Ratio> spark(String caseName, SparkSubject other) {
    return ratios(
        Suite.SPARK,
        caseName,
        LATENCY,
        other.title(),
        SparkSubject.ZERO_RENAME.title(),
        Targets::total);
  }

  private void jobCommit() {
    List<Ratio> ratios = new ArrayList<>();
    results
        .cases()
        .forEach(
            (key, groups) -> {
              if (key.suite() == Suite.COMMIT
                  && key.latencyMillis() == LATENCY
                  && key.caseName().equals(CommitExperiment.caseName(10_000))) {
                groups.forEach(
                    group ->
                        ratios.add(
                            new Ratio(
                                commit(group) / group.measure(CommitExperiment.BOUND).median(),
                                group.title())));
              }
            });
    atMost("Job commit of 10,000 uploads: seconds to the bound, worst case", 1.2, ratios);
  }

  /** Without any setting, and with the same setting of both. */
  private void upload() {
    for (int streams : new int[] {1, 8}) {
      String caseName = UploadExperiment.caseName(streams);
      upload(caseName, UploadSubject.ZERO_RENAME, UploadSubject.S3A_DISK);
      upload(caseName, UploadSubject.ZERO_RENAME_BYTEBUFFER, UploadSubject.S3A_BYTEBUFFER);
    }
  }

  private void upload(String caseName, UploadSubject ours, UploadSubject other) {
    String name = "Upload, %s: %%s, zero-rename to %s".formatted(caseName, other.title());
    atLeast(
        name.formatted("MB/s"),
        1,
        upload(caseName, ours, other, group -> group.measure(UploadExperiment.RATE).median()));
    atMost(
        name.formatted("memory"),
        1,
        upload(caseName, ours, other, group -> group.measure(UploadExperiment.MEMORY).median()));
  }

  private List<Ratio> upload(
      String caseName, UploadSubject ours, UploadSubject other, ToDoubleFunction<Group> value) {
    return ratios(Suite.UPLOAD, caseName, 0, ours.title(), other.title(), value);
  }

  /** Of one to another, empty where one of them was not measured. */
  private List<Ratio> ratios(
      Suite suite,
      String caseName,
      int latency,
      String one,
      String another,
      ToDoubleFunction<Group> value) {
    Optional<Group> numerator = results.find(suite, caseName, latency, one);
    Optional<Group> denominator = results.find(suite, caseName, latency, another);
    if (numerator.isEmpty() || denominator.isEmpty()) {
      return List.of();
    }
    double divisor = value.applyAsDouble(denominator.get());
    String fallback =
        denominator.get().fallback().map(reason -> ", where zero-rename was not used").orElse("");
    return List.of(
        new Ratio(
            divisor == 0
                ? Double.POSITIVE_INFINITY
                : value.applyAsDouble(numerator.get()) / divisor,
            caseName + ", " + Words.title(one) + fallback));
  }

  private void atLeast(String name, double wanted, List<Ratio> ratios) {
    add(
        name,
        "at least",
        wanted,
        ratios.stream().min((a, b) -> Double.compare(a.value(), b.value())),
        true);
  }

  private void atMost(String name, double wanted, List<Ratio> ratios) {
    add(
        name,
        "at most",
        wanted,
        ratios.stream().max((a, b) -> Double.compare(a.value(), b.value())),
        false);
  }

  private void add(
      String name, String relation, double wanted, Optional<Ratio> worst, boolean atLeast) {
    targets.add(
        new Target(
            name,
            relation + " " + CommandLine.number(wanted) + "x",
            worst.map(ratio -> times(ratio.value()) + " (" + ratio.where() + ")").orElse("-"),
            worst
                .map(
                    ratio ->
                        (atLeast ? ratio.value() >= wanted : ratio.value() <= wanted)
                            ? Status.MET
                            : Status.NOT_MET)
                .orElse(Status.NOT_MEASURED)));
  }

  private static double total(Group group) {
    return group.seconds(Sample.TOTAL).median();
  }

  private static double commit(Group group) {
    return group.seconds(Sample.COMMIT).median();
  }

  private static double requests(Group group) {
    return group.requests().median();
  }

  private static String times(double ratio) {
    return String.format(Locale.ROOT, ratio < 10 ? "%.2fx" : "%.1fx", ratio);
  }
}
