package io.zerorename.benchmark;

import io.zerorename.report.CommandLine;
import io.zerorename.report.CommandLine.InvalidOptionException;
import io.zerorename.report.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The options of the benchmark.
 *
 * <p>It uses {@link CommandLine} and {@link Endpoint} only: the script runs the three from source.
 *
 * @param suites in the order in which they run
 * @param rounds how often each case is measured at most
 * @param latencies added to each S3 request, in milliseconds; each case is measured with each. On
 *     an endpoint nothing is added, and there is one, which is assumed
 * @param copyRate of a copy by the server, in MB/s
 * @param uploadRate of one connection that uploads, in MB/s
 * @param uploadMegabytes that the suite {@code upload} sends in each run
 * @param cases what the names of the cases to run contain
 * @param subjects the same of subjects
 * @param quick whether long cases are left out
 * @param endpoint the S3 to run on; empty for servers on this machine
 * @param help whether to explain the options and do nothing else
 */
public record BenchmarkOptions(
    List<Suite> suites,
    int rounds,
    List<Integer> latencies,
    int copyRate,
    int uploadRate,
    int uploadMegabytes,
    Pattern cases,
    Pattern subjects,
    boolean quick,
    Optional<Endpoint> endpoint,
    boolean help) {

  static final int ROUNDS = 3;
  static final int MAX_ROUNDS = 100;
  static final int MAX_LATENCY_MILLIS = 10_000;
  static final int MAX_RATE = 100_000;
  static final int UPLOAD_MEGABYTES = 1024;
  static final int QUICK_UPLOAD_MEGABYTES = 256;
  static final int MAX_UPLOAD_MEGABYTES = 65_536;
  static final int COPY_RATE = 100;
  static final int UPLOAD_RATE = 85;

  /** Of a real S3, for estimates and in place of a delay that is added. */
  static final int ASSUMED_MILLIS = 30;

  static final List<Integer> LATENCIES = List.of(30, 0);
  static final List<Integer> QUICK_LATENCIES = List.of(30);

  private static final Pattern ALL = Pattern.compile("");

  private static final String USAGE =
      """
      Measures this committer beside the others in one run, in turns, on an S3 server of its own
      that is as slow as you say. Nothing needs to be installed, and nothing is sent anywhere,
      unless you name another S3 with --endpoint.

      Usage: ./benchmark [options]

        --only S[,S]         suites to run; default all of
                               commit     job commit against the bound of latency and threads
                               upload     one and eight streams against S3A's own
                               mapreduce  against FileOutputCommitter and S3A's committers
                               hive       against Hive's rename path, with and without scratch
                               spark      against Spark's own protocols and S3A's committers
                               checkpoint Spark's streaming batches and RDDs, against its managers
        --quick              long cases left out, one round, only 30 ms: within 10 minutes
        --rounds N           how often each case is measured, 1 to %d; default %d. The longest
                             cases are measured once
        --latency-ms N[,N]   delays of every S3 request in milliseconds, 0 to %d, each case
                             with each, but 0 beside others only where it says most;
                             default %s. The suite upload runs at 0 alone
        --copy-rate N        MB/s of a copy by the server where there is a delay; default %d
        --upload-rate N      MB/s of each connection that uploads, likewise; default %d
        --upload-mb N        MB that each run of the suite upload sends; default %d
        --case REGEX         only cases whose names contain this, such as 'P100$|T20xF50'
        --subject REGEX      only subjects whose names contain this
      %s  --help               print this

      Results: target/benchmark/report.html to look at, target/benchmark/report.json for scripts,
      target/benchmark/tables.md to paste, target/benchmark/benchmark.log with what Hadoop says.
      Exit code: 0 if everything was measured, whatever the result, 1 if something broke, 2 for a
      bad option.
      """
          .formatted(
              MAX_ROUNDS,
              ROUNDS,
              MAX_LATENCY_MILLIS,
              "30,0",
              COPY_RATE,
              UPLOAD_RATE,
              UPLOAD_MEGABYTES,
              Endpoint.USAGE);

  /** What is measured, in groups that have little to do with one another. */
  public enum Suite {
    COMMIT,
    UPLOAD,
    MAPREDUCE,
    HIVE,
    SPARK,
    CHECKPOINT;

    String key() {
      return CommandLine.name(this);
    }
  }

  public BenchmarkOptions {
    suites = List.copyOf(suites);
    latencies = List.copyOf(latencies);
  }

  /** Reads a command line. */
  public static BenchmarkOptions parse(String... arguments) throws InvalidOptionException {
    List<Suite> suites = List.of();
    int rounds = 0;
    List<Integer> latencies = List.of();
    int copyRate = 0;
    int uploadRate = 0;
    int uploadMegabytes = 0;
    Pattern cases = ALL;
    Pattern subjects = ALL;
    boolean quick = false;
    boolean help = false;
    Endpoint.Options place = new Endpoint.Options();
    CommandLine line = new CommandLine("./benchmark", arguments);
    while (line.hasNext()) {
      String option = line.next();
      switch (option) {
        case "--only" -> suites = line.choices(Suite.values());
        case "--rounds" -> rounds = line.integer(1, MAX_ROUNDS);
        case "--latency-ms" -> latencies = line.integers(0, MAX_LATENCY_MILLIS);
        case "--copy-rate" -> copyRate = line.integer(1, MAX_RATE);
        case "--upload-rate" -> uploadRate = line.integer(1, MAX_RATE);
        case "--upload-mb" -> uploadMegabytes = line.integer(1, MAX_UPLOAD_MEGABYTES);
        case "--case" -> cases = pattern(line);
        case "--subject" -> subjects = pattern(line);
        case "--quick" -> quick = true;
        case "--help", "-h" -> help = true;
        default -> {
          if (!place.take(option, line)) {
            throw line.unknown();
          }
        }
      }
    }
    Optional<Endpoint> endpoint = place.endpoint();
    if (endpoint.isPresent()) {
      if (!latencies.isEmpty() || copyRate + uploadRate > 0 || suites.contains(Suite.COMMIT)) {
        throw new InvalidOptionException(
            "--endpoint excludes --latency-ms, --copy-rate, --upload-rate and the suite commit,"
                + " which are for simulated S3");
      }
      latencies = List.of(ASSUMED_MILLIS);
    }
    if (suites.isEmpty()) {
      suites = new ArrayList<>(List.of(Suite.values()));
      suites.removeIf(suite -> suite == Suite.COMMIT && endpoint.isPresent());
    }
    return new BenchmarkOptions(
        suites.stream().distinct().sorted().toList(),
        rounds > 0 ? rounds : quick ? 1 : ROUNDS,
        !latencies.isEmpty()
            ? latencies.stream().distinct().toList()
            : quick ? QUICK_LATENCIES : LATENCIES,
        copyRate > 0 ? copyRate : COPY_RATE,
        uploadRate > 0 ? uploadRate : UPLOAD_RATE,
        uploadMegabytes > 0 ? uploadMegabytes : quick ? QUICK_UPLOAD_MEGABYTES : UPLOAD_MEGABYTES,
        cases,
        subjects,
        quick,
        endpoint,
        help);
  }

  private static Pattern pattern(CommandLine line) throws InvalidOptionException {
    String value = line.value();
    try {
      return Pattern.compile(value, Pattern.CASE_INSENSITIVE);
    } catch (PatternSyntaxException e) {
      throw line.invalid("a regular expression", value);
    }
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
    return endpoint.map(it -> "on " + it.url()).orElse("at " + latencyMillis + " ms");
  }

  /** What is added to each request of a case. */
  int addedMillis(int latencyMillis) {
    return endpoint.isPresent() ? 0 : latencyMillis;
  }

  /** Whether a case is to be run. */
  boolean hasCase(String name) {
    return cases.matcher(name).find();
  }

  /** Whether a subject is to be run. */
  boolean hasSubject(String name) {
    return subjects.matcher(name).find();
  }

  static String usage() {
    return USAGE;
  }

  /** Checks a command line and explains it where that is asked for, without running anything. */
  public static void main(String[] arguments) {
    CommandLine.answer("benchmark", () -> parse(arguments).help() ? USAGE : "");
  }
}
