package io.zerorename.benchmark;

import static java.util.stream.Collectors.joining;

import io.zerorename.report.Progress;
import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.MetastoreCalls;
import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.hive.Subject;
import io.zerorename.testing.hive.Timeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** INSERTs by Hive on Tez, on its own path, on its scratch path, and by the committer. */
final class HiveExperiment implements Experiment {
  /** The metastore's share of committing and moving, which no committer can change. */
  static final String METASTORE = "metastore";

  static final String STATISTICS = "statistics";
  static final String REST = "rest";

  /** What the note of a run through our committer begins with; anything else is a fallback. */
  static final String USED = "zero-rename: committed";

  private static final double SCALE = 0.01;
  private static final int TYPICAL = 100;
  private static final int MOST = 1_000;
  private static final Set<Phase> COMMIT_AND_MOVE = Set.of(Phase.COMMIT, Phase.MOVE);

  private final BenchmarkOptions options;
  private Sales sales;
  private SlowServer server;
  private LocalHive hive;

  HiveExperiment(BenchmarkOptions options) {
    this.options = options;
  }

  /**
   * What an INSERT writes: one file with the sales of a day to each partition.
   *
   * @param format as in {@code STORED AS}
   * @param overwrite whether it replaces the files that are there; otherwise it adds to them
   */
  private record Shape(String format, boolean overwrite, int partitions) {
    String caseName() {
      return (format + (overwrite ? "-overwrite-" : "-append-")).toLowerCase(Locale.ROOT)
          + "P"
          + partitions;
    }

    /** Three times at most, of which two are the rounds' share of the table's creation and rows. */
    double estimatedRequests(Subject subject) {
      return 30
          + 2.0
              * partitions
              * switch (subject) {
                case STOCK -> 64;
                case STOCK_SCRATCH -> 26;
                case ZERO_RENAME -> 1.2;
              };
    }
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int partitions : List.of(1, 10, TYPICAL, MOST)) {
      for (String format : List.of("ORC", "PARQUET")) {
        for (boolean overwrite : List.of(true, false)) {
          Shape shape = new Shape(format, overwrite, partitions);
          for (int latency : options.latencies) {
            if (!isLeftOut(shape, latency)) {
              cases.add(new Case(shape.caseName(), latency, trials(shape, latency)));
            }
          }
        }
      }
    }
    return cases;
  }

  private boolean isLeftOut(Shape shape, int latency) {
    if (options.quick) {
      return shape.partitions() != 1 && shape.partitions() != TYPICAL;
    }
    return options.isAside(latency)
        ? shape.partitions() != TYPICAL || !shape.overwrite()
        : shape.equals(new Shape("PARQUET", false, MOST));
  }

  private List<Trial> trials(Shape shape, int latency) {
    // A quarter of an hour each.
    boolean withStock = shape.partitions() != MOST || shape.equals(new Shape("ORC", true, MOST));
    return Arrays.stream(Subject.values())
        .filter(subject -> subject != Subject.STOCK || withStock)
        .map(
            subject ->
                new Trial(
                    subject.id(),
                    subject == Subject.STOCK && shape.partitions() >= TYPICAL,
                    shape.estimatedRequests(subject),
                    new Insert(subject, shape, latency)))
        .toList();
  }

  @Override
  public void start(SlowServer server, Path directory, Progress progress)
      throws IOException, InterruptedException {
    progress.step("generating TPC-DS store_sales and date_dim, scale " + SCALE);
    sales = Sales.generate(directory.resolve("source"), SCALE);
    progress.step("preparing S3, starting Hive on Tez, and warming up each way");
    this.server = server;
    Map<String, String> settings = new HashMap<>(server.bucket().access().settings());
    settings.putAll(MetastoreCalls.SETTINGS);
    hive =
        LocalHive.start(Files.createDirectories(directory.resolve("hive")), settings)
            .withoutCopiesOfItsJar();
    try {
      for (String statement : sales.createSources()) {
        hive.execute(statement);
      }
      for (Subject subject : Subject.values()) {
        if (options.hasSubject(subject.id())) {
          subject.configure(hive);
          new Insert(subject, new Shape("ORC", true, 3), 0).create();
        }
      }
    } catch (StatementFailedException e) {
      throw new IOException("Hive cannot create the source tables or write to another", e);
    }
  }

  @Override
  public void close() throws IOException {
    if (hive != null) {
      hive.close();
    }
  }

  private final class Insert implements Trial.Run {
    private final Subject subject;
    private final Shape shape;
    private final int latency;
    private boolean created;
    private int statementsThere = 1;

    private Insert(Subject subject, Shape shape, int latency) {
      this.subject = subject;
      this.shape = shape;
      this.latency = latency;
    }

    private String table() {
      return (shape.caseName() + "_l" + latency + "_" + subject.id())
          .toLowerCase(Locale.ROOT)
          .replace('-', '_');
    }

    @Override
    public Sample run(int round) throws IOException, InterruptedException {
      try {
        return insert();
      } catch (StatementFailedException e) {
        throw new IOException(subject.id() + " failed in " + table(), e);
      }
    }

    private Sales sales() {
      return sales.ofFirstDays(shape.partitions());
    }

    private Sample insert() throws StatementFailedException, IOException, InterruptedException {
      subject.configure(hive);
      if (!created) {
        create();
      }
      String statement = statement();
      MetastoreCalls.forget();
      Measured<Duration> measured =
          server.measure(
              latency,
              () -> {
                long start = System.nanoTime();
                hive.execute(statement);
                return Duration.ofNanos(System.nanoTime() - start);
              });
      if (!shape.overwrite()) {
        statementsThere++;
      }
      long bytes = check();
      return new Sample(
          shape.partitions(),
          bytes,
          parts(measured.result()),
          measured.requests().byApiName(),
          Map.of("filesPerPartition", (double) statementsThere),
          subject == Subject.ZERO_RENAME ? note(hive.console()) : "");
    }

    private void create() throws StatementFailedException {
      hive.execute(
          sales()
              .createTarget(table(), server.bucket().location("hive/" + table()), shape.format()));
      hive.execute(sales().insertOverwrite(table()));
      created = true;
    }

    private String statement() {
      return shape.overwrite() ? sales().insertOverwrite(table()) : sales().insertInto(table());
    }

    private Map<String, Double> parts(Duration wall) {
      Timeline timeline = new Timeline(hive.times());
      Map<Phase, Duration> phases = timeline.durations(wall);
      Duration metastore = timeline.inMetastore(COMMIT_AND_MOVE, MetastoreCalls.all());
      Map<String, Double> seconds = new LinkedHashMap<>();
      seconds.put(Sample.TASKS, seconds(phases, Phase.TASKS));
      seconds.put(
          Sample.COMMIT,
          seconds(phases, Phase.COMMIT) + seconds(phases, Phase.MOVE) - inSeconds(metastore));
      seconds.put(METASTORE, inSeconds(metastore));
      seconds.put(STATISTICS, seconds(phases, Phase.STATISTICS));
      seconds.put(REST, seconds(phases, Phase.REST));
      seconds.put(Sample.TOTAL, inSeconds(wall));
      return seconds;
    }

    /** Returns the bytes of one statement: every statement writes the same. */
    private long check() throws IOException {
      Map<String, Long> objects = server.bucket().contents().objects("hive/" + table() + "/");
      long files = objects.keySet().stream().filter(key -> !key.endsWith("/")).count();
      if (files != (long) shape.partitions() * statementsThere) {
        throw new IOException(
            table() + " has " + files + " files: " + objects.keySet() + "\n" + hive.console());
      }
      return objects.values().stream().mapToLong(Long::longValue).sum() / statementsThere;
    }
  }

  /** What the committer says of a statement, and so why it kept Hive's own path, if it did. */
  static String note(String console) {
    String said =
        console.lines().filter(line -> line.startsWith("zero-rename:")).collect(joining(" "));
    return said.isEmpty() ? "the hook said nothing" : said;
  }

  private static double seconds(Map<Phase, Duration> phases, Phase phase) {
    return inSeconds(phases.get(phase));
  }

  private static double inSeconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
