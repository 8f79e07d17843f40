package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.ProgramOptions;
import io.zerorename.report.S3Prices;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Rows as they come out of a run of every suite, with easy numbers. */
final class Samples {
  static final String USED = HiveExperiment.USED + " INSERT OVERWRITE of default.t: 100 files";
  static final String FALLBACK = "zero-rename: default.t keeps Hive's own path: <FORMAT>";

  private final List<Row> rows = new ArrayList<>();

  static Results results() {
    return new Samples().all().results(Map.of("system", "Linux <amd64>", "processors", "2"));
  }

  Samples all() {
    return commit(10_000, 64, 4.6875)
        .commit(10_000, 64, 5.0)
        .commit(10_000, 64, 9.0)
        .upload("s3a-disk", 100, 50)
        .upload("s3a-bytebuffer", 100, 200)
        .upload("zero-rename", 100, 40)
        .upload("zero-rename-bytebuffer", 110, 220)
        .mapReduce("magic-32", 6, 2)
        .mapReduce("zero-rename-32", 2, 0.5)
        .hive("stock", "overwrite-P100", 60, 36, 5_000, "")
        .hive("stock-scratch", "overwrite-P100", 20, 4, 2_000, "")
        .hive("zero-rename", "overwrite-P100", 10, 1, 250, USED);
  }

  Samples commit(int files, int threads, double seconds) {
    return add(
        Suite.COMMIT,
        files + "-uploads",
        "zero-rename-" + threads,
        30,
        new Sample(
            files,
            files,
            Map.of("tasks", 0.0, "commit", seconds, "total", seconds),
            Map.of("CompleteMultipartUpload", (long) files),
            Map.of(
                CommitExperiment.BOUND,
                files * 0.03 / threads,
                CommitExperiment.TO_BOUND,
                seconds / (files * 0.03 / threads)),
            ""));
  }

  Samples upload(String subject, double rate, double memory) {
    return add(
        Suite.UPLOAD,
        "1-stream",
        subject,
        0,
        new Sample(
            1,
            1_000_000_000,
            Map.of("tasks", 10.0, "commit", 0.0, "total", 10.0),
            Map.of("UploadPart", 16L),
            Map.of(
                UploadExperiment.RATE,
                rate,
                UploadExperiment.MEMORY,
                memory,
                UploadExperiment.PROCESSOR,
                1.5),
            ""));
  }

  Samples mapReduce(String subject, double tasks, double commit) {
    return add(
        Suite.MAPREDUCE,
        "T20xF50-100KB",
        subject,
        30,
        new Sample(
            1000,
            100_000,
            Map.of("setup", 0.1, "tasks", tasks, "commit", commit, "total", tasks + commit + 0.1),
            Map.of("PutObject", 3000L),
            Map.of(),
            ""));
  }

  Samples hive(
      String subject, String kind, double total, double commit, long requests, String note) {
    return add(
        Suite.HIVE,
        "orc-" + kind,
        subject,
        30,
        new Sample(
            100,
            12_345,
            Map.of("tasks", 1.0, "commit", commit, "metastore", 1.0, "total", total),
            Map.of("HeadObject", requests),
            Map.of(),
            note));
  }

  private Samples add(Suite suite, String caseName, String subject, int latency, Sample sample) {
    int round =
        1
            + (int)
                rows.stream()
                    .filter(row -> row.subject().equals(subject) && row.caseName().equals(caseName))
                    .count();
    String title = Benchmark.title(subject);
    double dollars = S3Prices.LISTED.dollars(sample.requests());
    rows.add(new Row(suite, caseName, subject, title, latency, round, sample, dollars));
    return this;
  }

  Results results(Map<String, String> machine) {
    return new Results(
        Instant.parse("2026-11-21T08:00:00Z"),
        ProgramOptions.read(new BenchmarkOptions()),
        machine,
        rows,
        Optional.empty());
  }
}
