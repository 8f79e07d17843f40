package io.zerorename.benchmark;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.report.Buckets;
import io.zerorename.report.Cost;
import io.zerorename.report.Machine;
import io.zerorename.report.Program;
import io.zerorename.report.Progress;
import io.zerorename.report.Reports;
import io.zerorename.report.S3Prices;
import io.zerorename.report.SlowServer;
import io.zerorename.report.Workspace;
import io.zerorename.testing.hive.Subject;
import io.zerorename.testing.s3server.MeasuredBucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The benchmark's main class: runs the suites one after the other, writes the reports, ends the
 * JVM.
 */
public final class Benchmark {
  /** Of a suite's warm-up. */
  private static final double START_REQUESTS = 1_000;

  /** What takes longer is measured once: it varies little, and would cost the others' time. */
  private static final double ONCE_ABOVE_SECONDS = 30;

  private final BenchmarkOptions options;
  private final Progress progress;
  private final Instant time = Instant.now();
  private final List<Row> rows = new ArrayList<>();
  private final Map<String, Long> requests = new TreeMap<>();
  private double estimatedRequests;

  private Benchmark(BenchmarkOptions options, Progress progress) {
    this.options = options;
    this.progress = progress;
  }

  /** What several subjects do in turns, at one delay. */
  private record Case(int latencyMillis, List<Trial> trials) {}

  /**
   * Runs the benchmark.
   *
   * @param arguments the options of a person
   */
  public static void main(String[] arguments) {
    Program.main(
        "benchmark",
        new BenchmarkOptions(),
        arguments,
        "needed on this machine are 3 GB of memory, 6 GB of disk in "
            + System.getProperty("java.io.tmpdir")
            + " and free ports on 127.0.0.1",
        (options, workspace, progress) -> new Benchmark(options, progress).run(workspace));
  }

  private int run(Workspace workspace) throws IOException, InterruptedException {
    Map<Suite, Experiment> experiments = new EnumMap<>(Suite.class);
    Map<Suite, List<Case>> wanted = new EnumMap<>(Suite.class);
    for (Suite suite : options.suites) {
      experiments.put(suite, experiment(suite));
      List<Case> cases = wanted(suite, experiments.get(suite));
      if (!cases.isEmpty()) {
        wanted.put(suite, cases);
        progress.print("%-10s %3d cases".formatted(suite, cases.size()));
      }
    }
    if (wanted.isEmpty()) {
      throw options.invalid("no case and subject of these suites has such a name");
    }
    estimatedRequests =
        START_REQUESTS * wanted.size()
            + wanted.values().stream()
                .flatMap(List::stream)
                .flatMap(each -> each.trials().stream())
                .mapToDouble(trial -> options.rounds * trial.estimatedRequests())
                .sum();
    if (options.endpoint().isPresent()
        && !Cost.isAgreedTo(options.endpoint().get(), estimatedRequests, progress)) {
      return Program.FAILED;
    }
    for (Suite suite : wanted.keySet()) {
      run(suite, experiments.get(suite), wanted.get(suite), workspace);
    }
    String places = write(workspace.output());
    Results results = results();
    progress.print("\n" + results.markdown());
    results.cost().ifPresent(cost -> progress.print("Cost: " + cost.text()));
    progress.step("done");
    progress.print(places);
    return Program.PASSED;
  }

  private Experiment experiment(Suite suite) {
    return switch (suite) {
      case COMMIT -> new CommitExperiment();
      case UPLOAD -> new UploadExperiment(options.uploadMegabytes);
      case MAPREDUCE -> new MapReduceExperiment();
      case HIVE -> new HiveExperiment();
      case SPARK -> new SparkExperiment();
      case CHECKPOINT -> new CheckpointExperiment();
    };
  }

  private List<Case> wanted(Suite suite, Experiment experiment) {
    return (suite == Suite.UPLOAD ? List.of(0) : options.latencies)
        .stream()
            .flatMap(
                latency ->
                    experiment.trials().stream()
                        .filter(trial -> options.hasCase(trial.caseName()))
                        .filter(trial -> options.hasSubject(trial.subject()))
                        .filter(trial -> !(options.quick && trial.isLong()))
                        .filter(trial -> trial.isTypical() || !options.isAside(latency))
                        .collect(groupingBy(Trial::caseName, LinkedHashMap::new, toList()))
                        .values()
                        .stream()
                        .map(trials -> new Case(latency, trials)))
            .toList();
  }

  private void run(Suite suite, Experiment experiment, List<Case> cases, Workspace workspace)
      throws IOException, InterruptedException {
    Path directory = Files.createDirectories(workspace.temporary().resolve(suite.toString()));
    try (MeasuredBucket bucket =
        Buckets.open(options.endpoint(), directory, "benchmark-" + suite, progress::print)) {
      try (experiment) {
        progress.step(suite + ": starting what it needs, and warming up each subject");
        experiment.start(new SlowServer(bucket, 0), directory);
        for (Case each : cases) {
          run(suite, each, new SlowServer(bucket, each.latencyMillis()));
          write(workspace.output());
        }
      }
      bucket
          .gateway()
          .counts()
          .byApiName()
          .forEach((type, count) -> requests.merge(type, count, Long::sum));
    }
  }

  /** Rounds of all subjects in turns, each round beginning with another. */
  private void run(Suite suite, Case each, SlowServer server)
      throws IOException, InterruptedException {
    List<Trial> order = new ArrayList<>(each.trials());
    Set<Trial> once = new HashSet<>();
    for (int round = 1; round <= options.rounds; round++) {
      for (Trial trial : order) {
        if (once.contains(trial)) {
          continue;
        }
        Sample sample = trial.run().run(server, round);
        if (sample.seconds().get(Sample.TOTAL) > ONCE_ABOVE_SECONDS) {
          once.add(trial);
        }
        rows.add(
            new Row(
                suite,
                trial.caseName(),
                trial.subject(),
                title(trial.subject()),
                each.latencyMillis(),
                round,
                sample,
                S3Prices.LISTED.dollars(sample.requests())));
        progress.step(
            String.format(
                Locale.ROOT,
                "%s %s %s, round %d, %s: %.2f s, commit %.2f s, %,d requests",
                suite,
                trial.caseName(),
                options.pace(each.latencyMillis()),
                round,
                trial.subject(),
                sample.seconds().get(Sample.TOTAL),
                sample.seconds().get(Sample.COMMIT),
                sample.requestsTotal()));
      }
      Collections.rotate(order, -1);
    }
  }

  /** A subject's name for a person; most have one name. */
  static String title(String subject) {
    return switch (subject) {
      case "stock-v1", "spark-default" -> "Spark default";
      case "stock-v2" -> "Spark, algorithm 2";
      default ->
          Arrays.stream(Subject.values())
              .filter(each -> each.id().equals(subject))
              .map(Subject::title)
              .findFirst()
              .orElse(subject);
    };
  }

  private Results results() {
    Map<String, String> machine = new LinkedHashMap<>(Machine.facts());
    machine.putAll(Machine.hive());
    String version = JobCommit.class.getPackage().getImplementationVersion();
    machine.put("zeroRename", version == null ? "of this source tree" : version);
    return new Results(
        time,
        options,
        machine,
        rows,
        options.endpoint().map(it -> Cost.of(estimatedRequests, requests)));
  }

  /** After each case, so that an interrupted run leaves its results. */
  private String write(Path output) throws IOException {
    Results results = results();
    Files.writeString(output.resolve("tables.md"), results.markdown());
    return Reports.write(output, "benchmark", results.json());
  }
}
