package io.zerorename.benchmark;

import io.zerorename.report.ProgramOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the benchmark, as they are after {@link #complete}. */
@Command(
    name = "./benchmark",
    customSynopsis = "./benchmark [options]",
    sortOptions = false,
    description =
        "%nMeasures this committer beside the others in one run, in turns, on an S3 server of its own"
            + " that is as slow as you say. Nothing needs to be installed, and nothing is sent"
            + " anywhere, unless you name another S3 with --endpoint.%n",
    footer =
        "%nResults: target/benchmark/report.html to look at, target/benchmark/report.json for"
            + " scripts, target/benchmark/tables.md to paste, target/benchmark/benchmark.log with"
            + " what Hadoop says.%nExit code: 0 if everything was measured, whatever the result, 1 if"
            + " something broke, 2 for a bad option.")
public final class BenchmarkOptions extends ProgramOptions {
  private static final int ROUNDS = 3;
  private static final int MAX_ROUNDS = 100;
  private static final int MAX_LATENCY_MILLIS = 10_000;
  private static final int UPLOAD_MEGABYTES = 1024;
  private static final int QUICK_UPLOAD_MEGABYTES = 256;
  private static final int MAX_UPLOAD_MEGABYTES = 65_536;

  /** In the order in which they run. */
  @Option(
      names = "--only",
      paramLabel = "S",
      split = ",",
      description = {
        "suites to run, separated by commas; default all of",
        "  commit     job commit against the bound of latency and threads",
        "  upload     one and eight streams against S3A's own",
        "  mapreduce  against FileOutputCommitter and S3A's committers",
        "  hive       against Hive's rename path, with and without scratch",
        "  spark      against Spark's own protocols and S3A's committers",
        "  checkpoint Spark's streaming batches and RDDs, against its managers"
      })
  List<Suite> suites = new ArrayList<>();

  @Option(
      names = "--quick",
      description = "long cases left out, one round, only 30 ms: 10 to 30 minutes")
  boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "how often each case is measured, 1 to "
              + MAX_ROUNDS
              + "; default "
              + ROUNDS
              + ". The longest cases are measured once")
  Integer rounds;

  /** Each case is measured with each. On an endpoint it is 0 alone. */
  @Option(
      names = "--latency-ms",
      paramLabel = "N",
      split = ",",
      description =
          "delays of every S3 request in milliseconds, 0 to "
              + MAX_LATENCY_MILLIS
              + ", separated by commas, each case with each, but 0 beside others only where it says"
              + " most; default 30,0. With a delay copies by the server run at 100 MB/s, and each"
              + " connection uploads at 85 MB/s. The suite upload runs at 0 alone")
  List<Integer> latencies = new ArrayList<>();

  @Option(
      names = "--upload-mb",
      paramLabel = "N",
      description = "MB that each run of the suite upload sends; default " + UPLOAD_MEGABYTES)
  Integer uploadMegabytes;

  @Option(
      names = "--case",
      paramLabel = "REGEX",
      description = "only cases whose names contain this, such as 'P100$|T20xF50'")
  private Pattern cases = Pattern.compile("");

  @Option(
      names = "--subject",
      paramLabel = "REGEX",
      description = "only subjects whose names contain this")
  private Pattern subjects = Pattern.compile("");

  /** What is measured, in groups that have little to do with one another. */
  enum Suite {
    COMMIT,
    UPLOAD,
    MAPREDUCE,
    HIVE,
    SPARK,
    CHECKPOINT;

    /** As it is typed, and as it stands in reports. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  protected void complete() {
    if (endpoint().isPresent()) {
      if (!latencies.isEmpty() || suites.contains(Suite.COMMIT)) {
        throw invalid(
            "--endpoint excludes --latency-ms and the suite commit, which are for simulated S3");
      }
      latencies = List.of(0);
    }
    if (suites.isEmpty()) {
      suites.addAll(List.of(Suite.values()));
      suites.removeIf(suite -> suite == Suite.COMMIT && endpoint().isPresent());
    }
    suites = suites.stream().distinct().sorted().toList();
    if (latencies.isEmpty()) {
      latencies = quick ? List.of(30) : List.of(30, 0);
    }
    latencies = latencies.stream().distinct().toList();
    rounds = rounds != null ? rounds : quick ? 1 : ROUNDS;
    if (uploadMegabytes == null) {
      uploadMegabytes = quick ? QUICK_UPLOAD_MEGABYTES : UPLOAD_MEGABYTES;
    }
    requireWithin(1, MAX_ROUNDS, "--rounds", rounds);
    latencies.forEach(it -> requireWithin(0, MAX_LATENCY_MILLIS, "--latency-ms", it));
    requireWithin(1, MAX_UPLOAD_MEGABYTES, "--upload-mb", uploadMegabytes);
  }

  /**
   * Whether a delay is 0 beside others, which is shown for a few cases only: no delay says little
   * about S3.
   */
  boolean isAside(int latencyMillis) {
    return latencyMillis == 0 && latencies.size() > 1;
  }

  /** How slow requests are, in the words of a heading. */
  String pace(int latencyMillis) {
    return endpoint().map(it -> "on " + it.url()).orElse("at " + latencyMillis + " ms");
  }

  /** Whether a case is to be run. */
  boolean hasCase(String name) {
    return cases.matcher(name).find();
  }

  /** Whether a subject is to be run. */
  boolean hasSubject(String name) {
    return subjects.matcher(name).find();
  }

  /** Checks a command line and explains it where that is asked for, without running anything. */
  public static void main(String[] arguments) {
    ProgramOptions.answer("benchmark", new BenchmarkOptions(), arguments);
  }
}
