package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.Progress;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.MetastoreCalls;
import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.hive.Subject;
import io.zerorename.testing.hive.Timeline;
import io.zerorename.testing.s3server.RequestCounts;
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

/** INSERTs into partitions by Hive on Tez, on its own path, on its scratch path, and by ours. */
final class HiveExperiment implements Experiment {
  /** The metastore's share of committing and moving, which no committer can change. */
  static final String METASTORE = "metastore";

  static final String STATISTICS = "statistics";
  static final String REST = "rest";

  /** What the note of a run through our committer begins with; anything else is a fallback. */
  static final String USED = "zero-rename: committed";

  private static final int TYPICAL = 100;
  private static final int MOST = 1_000;
  private static final List<Integer> PARTITIONS = List.of(1, 10, TYPICAL, MOST);
  static final String MERGED = "orc-merged-P" + TYPICAL;

  /** Each writes a file to each partition, where files are merged. */
  private static final int REDUCERS = 4;

  private static final double SCALE = 0.01;
  private static final Set<Phase> COMMIT_AND_MOVE = Set.of(Phase.COMMIT, Phase.MOVE);

  private final BenchmarkOptions options;
  private final Servers servers;
  private Sales sales;
  private SlowServer server;
  private LocalHive hive;

  HiveExperiment(BenchmarkOptions options, Servers servers) {
    this.options = options;
    this.servers = servers;
  }

  @Override
  public Suite suite() {
    return Suite.HIVE;
  }

  /** How the table stores its rows, and what the statement does about rows that are there. */
  private enum Kind {
    ORC_OVERWRITE("ORC", true),
    ORC_APPEND("ORC", false),
    PARQUET_OVERWRITE("PARQUET", true),
    PARQUET_APPEND("PARQUET", false),
    /** Four small files per partition, which Hive merges into one. */
    ORC_MERGED("ORC", true);

    private final String format;
    private final boolean overwrite;

    Kind(String format, boolean overwrite) {
      this.format = format;
      this.overwrite = overwrite;
    }
  }

  /** The name of a case. */
  static String caseName(String format, boolean overwrite, int partitions) {
    return format.toLowerCase(Locale.ROOT)
        + (overwrite ? "-overwrite-" : "-append-")
        + "P"
        + partitions;
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int partitions : PARTITIONS) {
      for (Kind kind : Kind.values()) {
        for (int latency : options.latencies()) {
          if (!isLeftOut(kind, partitions, latency)) {
            cases.add(
                new Case(
                    kind == Kind.ORC_MERGED
                        ? MERGED
                        : caseName(kind.format, kind.overwrite, partitions),
                    latency,
                    trials(kind, partitions, latency)));
          }
        }
      }
    }
    return cases;
  }

  private boolean isLeftOut(Kind kind, int partitions, int latency) {
    if (kind == Kind.ORC_MERGED && (partitions != TYPICAL || options.isAside(latency))) {
      return true;
    }
    if (options.quick()) {
      return kind == Kind.ORC_MERGED || (partitions != 1 && partitions != TYPICAL);
    }
    return options.isAside(latency)
        ? partitions != TYPICAL || !kind.overwrite
        : partitions == MOST && kind == Kind.PARQUET_APPEND;
  }

  private List<Trial> trials(Kind kind, int partitions, int latency) {
    return Arrays.stream(Subject.values())
        // A quarter of an hour each.
        .filter(
            subject -> subject != Subject.STOCK || partitions != MOST || kind == Kind.ORC_OVERWRITE)
        .<Trial>map(subject -> new Insert(subject, kind, partitions, latency))
        .toList();
  }

  @Override
  public void start(Path directory, Progress progress) throws IOException, InterruptedException {
    progress.step("generating TPC-DS store_sales and date_dim, scale " + SCALE);
    sales = Sales.generate(directory.resolve("source"), SCALE);
    progress.step("preparing S3, starting Hive on Tez, and warming up each way");
    server = servers.start(directory, Suite.HIVE);
    Map<String, String> settings = new HashMap<>(server.access().settings());
    settings.putAll(MetastoreCalls.SETTINGS);
    hive = LocalHive.start(Files.createDirectories(directory.resolve("hive")), settings);
    try {
      for (String statement : sales.createSources()) {
        hive.execute(statement);
      }
      for (Subject subject : Subject.values()) {
        if (options.hasSubject(subject.id())) {
          subject.configure(hive);
          new Insert(subject, Kind.ORC_OVERWRITE, 3, 0).create(sales.ofFirstDays(3));
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
    if (server != null) {
      server.close();
    }
  }

  private final class Insert implements Trial {
    private final Subject subject;
    private final Kind kind;
    private final int partitions;
    private final int latency;
    private boolean created;
    private int filesPerPartition = 1;

    private Insert(Subject subject, Kind kind, int partitions, int latency) {
      this.subject = subject;
      this.kind = kind;
      this.partitions = partitions;
      this.latency = latency;
    }

    @Override
    public String subject() {
      return subject.id();
    }

    private String table() {
      return (kind.name() + "_p" + partitions + "_l" + latency + "_" + subject())
          .toLowerCase(Locale.ROOT)
          .replace('-', '_');
    }

    @Override
    public double estimatedSeconds() {
      double requestsInARow =
          switch (subject) {
            case STOCK -> 33;
            case STOCK_SCRATCH -> 2;
            case ZERO_RENAME -> 0;
          };
      double seconds = 2 + partitions * 0.03;
      return seconds + 0.4 * seconds + partitions * requestsInARow * latency / 1000;
    }

    /** Three times at most, of which two are the rounds' share of the table's creation and rows. */
    @Override
    public double estimatedRequests() {
      return 30
          + 2.0
              * partitions
              * switch (subject) {
                case STOCK -> 64;
                case STOCK_SCRATCH -> 26;
                case ZERO_RENAME -> 1.2;
              };
    }

    @Override
    public Sample run(int round) throws IOException, InterruptedException {
      try {
        return insert(sales.ofFirstDays(partitions));
      } catch (StatementFailedException e) {
        throw new IOException(subject() + " failed in " + table(), e);
      }
    }

    private Sample insert(Sales days)
        throws StatementFailedException, IOException, InterruptedException {
      subject.configure(hive);
      boolean merged = kind == Kind.ORC_MERGED;
      hive.set("hive.merge.tezfiles", String.valueOf(merged));
      hive.set("mapreduce.job.reduces", String.valueOf(merged ? REDUCERS : -1));
      hive.set("zerorename.hive.merge", merged ? "commit" : "fallback");
      if (!created) {
        create(days);
      }
      String statement = statement(days);
      MetastoreCalls.forget();
      long[] nanos = new long[1];
      RequestCounts requests =
          server.measure(
              latency,
              () -> {
                long start = System.nanoTime();
                try {
                  hive.execute(statement);
                } catch (StatementFailedException e) {
                  throw new IOException(subject() + " failed in " + table(), e);
                }
                nanos[0] = System.nanoTime() - start;
              });
      if (!kind.overwrite) {
        filesPerPartition++;
      }
      long bytes = check();
      return new Sample(
          partitions,
          bytes,
          parts(Duration.ofNanos(nanos[0])),
          requests.byApiName(),
          Map.of("filesPerPartition", (double) filesPerPartition),
          note());
    }

    private void create(Sales days) throws StatementFailedException {
      hive.execute(days.createTarget(table(), server.location("hive/" + table()), kind.format));
      hive.execute(kind.overwrite ? statement(days) : days.insertOverwrite(table()));
      created = true;
    }

    private String statement(Sales days) {
      if (kind == Kind.ORC_MERGED) {
        return days.insertOverwriteInPieces(table());
      }
      return kind.overwrite ? days.insertOverwrite(table()) : days.insertInto(table());
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

    private String note() {
      return subject == Subject.ZERO_RENAME
          ? String.join(
              " ", hive.console().lines().filter(line -> line.startsWith("zero-rename:")).toList())
          : "";
    }

    /** Returns the bytes of one statement: every statement writes the same. */
    private long check() throws IOException {
      Map<String, Long> objects = server.contents().objects("hive/" + table() + "/");
      long files = objects.keySet().stream().filter(key -> !key.endsWith("/")).count();
      if (files != (long) partitions * filesPerPartition) {
        throw new IOException(
            table() + " has " + files + " files: " + objects.keySet() + "\n" + hive.console());
      }
      return objects.values().stream().mapToLong(Long::longValue).sum() / filesPerPartition;
    }
  }

  private static double seconds(Map<Phase, Duration> phases, Phase phase) {
    return inSeconds(phases.get(phase));
  }

  private static double inSeconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
