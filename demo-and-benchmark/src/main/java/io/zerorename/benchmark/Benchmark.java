package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.CommandLine.InvalidOptionException;
import io.zerorename.report.Cost;
import io.zerorename.report.Machine;
import io.zerorename.report.Progress;
import io.zerorename.report.S3Prices;
import io.zerorename.report.Workspace;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The benchmark's main class: runs the suites one after the other, writes the reports, ends the
 * JVM.
 */
public final class Benchmark {
  private static final int MEASURED = 0;
  private static final int FAILED = 1;
  private static final int BAD_OPTION = 2;

  /** Of a suite's start: servers, Hive, warm-up. */
  private static final double START_SECONDS = 15;

  /** Of the warm-up. */
  private static final double START_REQUESTS = 1_000;

  private final BenchmarkOptions options;
  private final Plan plan;
  private final Progress progress;
  private final Instant time = Instant.now();
  private final List<Row> rows = new ArrayList<>();
  private final Servers servers;
  private double estimatedRequests;

  private Benchmark(BenchmarkOptions options, PrintStream console) {
    this.options = options;
    this.plan = new Plan(options);
    this.progress = new Progress(console);
    this.servers = new Servers(options, progress::print);
  }

  /**
   * Runs the benchmark.
   *
   * @param arguments the options of a person; the system property {@code
   *     zerorename.benchmark.output} names the directory of the reports
   */
  public static void main(String[] arguments) {
    PrintStream console = System.out;
    int code;
    try {
      BenchmarkOptions options = BenchmarkOptions.parse(arguments);
      if (options.help()) {
        console.print(BenchmarkOptions.usage());
        code = MEASURED;
      } else {
        code = run(options, console);
      }
    } catch (InvalidOptionException e) {
      console.println("benchmark: " + e.getMessage());
      code = BAD_OPTION;
    }
    console.flush();
    System.err.flush();
    // Tez leaves threads behind that would keep the JVM alive.
    Runtime.getRuntime().halt(code);
  }

  private static int run(BenchmarkOptions options, PrintStream console) {
    Path output =
        Path.of(System.getProperty("zerorename.benchmark.output", "target/benchmark"))
            .toAbsolutePath();
    try (Workspace workspace = Workspace.open(output, "benchmark")) {
      try {
        return new Benchmark(options, console).run(workspace);
      } catch (IOException | RuntimeException | AssertionError e) {
        e.printStackTrace();
        console.println(
            "benchmark: stopped: " + e + (e.getCause() == null ? "" : ": " + e.getCause()));
        console.println(
            options.endpoint().isPresent()
                ? "benchmark: the log is "
                    + workspace.log()
                    + ", and what was measured before is in "
                    + output
                : "benchmark: needed are 3 GB of memory, 6 GB of disk in "
                    + System.getProperty("java.io.tmpdir")
                    + " and free ports on 127.0.0.1; the log is "
                    + workspace.log()
                    + ", and what was measured before is in "
                    + output);
      } catch (InterruptedException e) {
        console.println("benchmark: interrupted");
      }
    } catch (IOException e) {
      console.println("benchmark: cannot write to " + output + ": " + e);
    }
    return FAILED;
  }

  private int run(Workspace workspace) throws IOException, InterruptedException {
    Map<Experiment, List<Case>> wanted = new LinkedHashMap<>();
    for (Suite suite : options.suites()) {
      Experiment experiment = experiment(suite);
      List<Case> cases = plan.of(experiment);
      if (!cases.isEmpty()) {
        wanted.put(experiment, cases);
      }
    }
    if (wanted.isEmpty()) {
      progress.print("benchmark: no case and subject of these suites has such a name");
      return BAD_OPTION;
    }
    printEstimate(wanted);
    if (options.endpoint().isPresent()
        && !Cost.isAgreedTo(
            options.endpoint().get(), S3Prices.load(), estimatedRequests, progress)) {
      return FAILED;
    }
    for (Map.Entry<Experiment, List<Case>> each : wanted.entrySet()) {
      run(each.getKey(), each.getValue(), workspace);
    }
    write(workspace.output());
    Results results = results();
    progress.print(ConsoleSummary.of(results));
    results.cost().ifPresent(cost -> progress.print("Cost: " + cost.text()));
    progress.step("done");
    progress.print(
        "Look at    "
            + workspace.output().resolve("report.html").toUri()
            + "\nfor scripts "
            + workspace.output().resolve("report.json"));
    return MEASURED;
  }

  private Experiment experiment(Suite suite) {
    return switch (suite) {
      case COMMIT -> new CommitExperiment(options);
      case UPLOAD -> new UploadExperiment(options, servers);
      case MAPREDUCE -> new MapReduceExperiment(options, servers);
      case HIVE -> new HiveExperiment(options, servers);
      case SPARK -> new SparkExperiment(options, servers);
      case CHECKPOINT -> new CheckpointExperiment(options, servers);
    };
  }

  private void printEstimate(Map<Experiment, List<Case>> wanted) {
    double sum = 0;
    for (Map.Entry<Experiment, List<Case>> each : wanted.entrySet()) {
      double seconds = START_SECONDS + plan.estimatedSeconds(each.getValue());
      progress.print(
          "%-10s %3d cases, about %s"
              .formatted(each.getKey().suite().key(), each.getValue().size(), minutes(seconds)));
      sum += seconds;
      estimatedRequests += START_REQUESTS + plan.estimatedRequests(each.getValue());
    }
    progress.print("all of it  about " + minutes(sum) + " on two quiet processors");
  }

  private static String minutes(double seconds) {
    return seconds < 90
        ? String.format(Locale.ROOT, "%.0f s", seconds)
        : String.format(Locale.ROOT, "%.0f min", seconds / 60);
  }

  private void run(Experiment experiment, List<Case> cases, Workspace workspace)
      throws IOException, InterruptedException {
    Path directory =
        Files.createDirectories(workspace.temporary().resolve(experiment.suite().key()));
    try (experiment) {
      experiment.start(directory, progress);
      for (Case each : cases) {
        run(experiment.suite(), each);
        write(workspace.output());
      }
    }
  }

  /** Rounds of all subjects in turns, each round beginning with another. */
  private void run(Suite suite, Case each) throws IOException, InterruptedException {
    List<Trial> order = new ArrayList<>(each.trials());
    for (int round = 1; round <= options.rounds(); round++) {
      for (Trial trial : order) {
        if (round <= plan.rounds(trial)) {
          Sample sample = trial.run(round);
          Row row =
              new Row(suite, each.name(), trial.subject(), each.latencyMillis(), round, sample);
          rows.add(row);
          progress.step(line(row));
        }
      }
      Collections.rotate(order, -1);
    }
  }

  private String line(Row row) {
    Sample sample = row.sample();
    return String.format(
        Locale.ROOT,
        "%s %s %s, round %d, %s: %.2f s, commit %.2f s, %,d requests",
        row.suite().key(),
        row.caseName(),
        options.pace(row.latencyMillis()),
        row.round(),
        row.subject(),
        sample.seconds().get(Sample.TOTAL),
        sample.seconds().get(Sample.COMMIT),
        sample.requestsTotal());
  }

  private Results results() throws IOException {
    Map<String, String> machine = new LinkedHashMap<>(Machine.facts());
    machine.putAll(Machine.hive());
    machine.put("zeroRename", version());
    S3Prices prices = S3Prices.load();
    return new Results(
        time,
        options,
        machine,
        prices,
        rows,
        options
            .endpoint()
            .map(it -> new Cost(prices, prices.estimate(estimatedRequests), servers.requests())));
  }

  private static String version() {
    String version =
        io.zerorename.core.commit.JobCommit.class.getPackage().getImplementationVersion();
    return version == null ? "of this source tree" : version;
  }

  /** After each case, so that an interrupted run leaves its results. */
  private void write(Path output) throws IOException {
    Results results = results();
    Files.writeString(output.resolve("report.json"), JsonReport.of(results));
    Files.writeString(output.resolve("report.html"), HtmlReport.of(results));
    Files.writeString(output.resolve("tables.md"), MarkdownTables.of(results));
  }
}
