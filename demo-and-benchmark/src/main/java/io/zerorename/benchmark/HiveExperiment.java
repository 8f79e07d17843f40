package io.zerorename.benchmark;

import io.zerorename.benchmark.SlowServer.Measured;
import io.zerorename.report.Progress;
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

  /** Of large files, with sales of some 125 bytes as text; the scale has as many. */
  private static final int LARGE_FILE_ROWS = 1_000_000;

  private static final double LARGE_SCALE = 0.8;

  /** Of the source tables of large files, which have the same names. */
  private static final String LARGE = "large";

  private static final Set<Phase> COMMIT_AND_MOVE = Set.of(Phase.COMMIT, Phase.MOVE);

  private final BenchmarkOptions options;
  private Sales sales;
  private Sales largeSales;
  private SlowServer server;
  private LocalHive hive;

  HiveExperiment(BenchmarkOptions options) {
    this.options = options;
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (InsertShape shape : InsertShape.ALL) {
      for (int latency : options.latencies) {
        if (!isLeftOut(shape, latency)) {
          cases.add(new Case(shape.name(), latency, trials(shape, latency)));
        }
      }
    }
    return cases;
  }

  private boolean isLeftOut(InsertShape shape, int latency) {
    if (shape.isSpecial()) {
      return options.quick || options.isAside(latency);
    }
    if (options.quick) {
      return shape.partitions() != 1 && shape.partitions() != InsertShape.TYPICAL;
    }
    return options.isAside(latency)
        ? shape.partitions() != InsertShape.TYPICAL || !shape.overwrite()
        : shape.partitions() == InsertShape.MOST
            && shape.format().equals("PARQUET")
            && !shape.overwrite();
  }

  private List<Trial> trials(InsertShape shape, int latency) {
    // A quarter of an hour each.
    boolean withStock =
        shape.partitions() != InsertShape.MOST
            || (shape.format().equals("ORC") && shape.overwrite());
    return Arrays.stream(Subject.values())
        .filter(subject -> subject != Subject.STOCK || withStock)
        .map(
            subject ->
                new Trial(
                    subject.id(),
                    shape.estimatedSeconds(subject, latency),
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
      createSources(sales);
      if (!options.quick && options.hasCase(InsertShape.LARGE.name())) {
        createLargeSources(directory, progress);
      }
      for (Subject subject : Subject.values()) {
        if (options.hasSubject(subject.id())) {
          subject.configure(hive);
          new Insert(subject, InsertShape.ofOneTask("ORC", true, 3), 0).create();
        }
      }
    } catch (StatementFailedException e) {
      throw new IOException("Hive cannot create the source tables or write to another", e);
    }
  }

  private void createSources(Sales of) throws StatementFailedException {
    for (String statement : of.createSources()) {
      hive.execute(statement);
    }
  }

  private void createLargeSources(Path directory, Progress progress)
      throws IOException, StatementFailedException {
    progress.step(
        "generating sales for files of some " + InsertShape.LARGE.fileMegabytes() + " MB");
    largeSales =
        Sales.generate(
            directory.resolve(LARGE), LARGE_SCALE, InsertShape.LARGE.days(), LARGE_FILE_ROWS);
    hive.execute("CREATE DATABASE " + LARGE);
    hive.execute("USE " + LARGE);
    createSources(largeSales);
    hive.execute("USE default");
  }

  @Override
  public void close() throws IOException {
    if (hive != null) {
      hive.close();
    }
  }

  private final class Insert implements Trial.Run {
    private final Subject subject;
    private final InsertShape shape;
    private final int latency;
    private boolean created;
    private int filesOfStatement;
    private int statementsThere = 1;

    private Insert(Subject subject, InsertShape shape, int latency) {
      this.subject = subject;
      this.shape = shape;
      this.latency = latency;
    }

    private String table() {
      return (shape.name() + "_l" + latency + "_" + subject.id())
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
      return shape.fileMegabytes() > 0
          ? largeSales
          : sales.ofFirstDays(shape.days()).laidOut(shape.layout());
    }

    private Sample insert() throws StatementFailedException, IOException, InterruptedException {
      subject.configure(hive);
      hive.set("hive.merge.tezfiles", String.valueOf(shape.merged()));
      hive.set("mapreduce.job.reduces", String.valueOf(shape.tasks() > 1 ? shape.tasks() : -1));
      // Otherwise Hive sends all rows of a partition to one task.
      hive.set("hive.optimize.sort.dynamic.partition.threshold", shape.tasks() > 1 ? "-1" : "0");
      hive.set("zerorename.hive.merge", shape.merged() ? "commit" : "fallback");
      hive.execute("USE " + (shape.fileMegabytes() > 0 ? LARGE : "default"));
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
          filesOfStatement,
          bytes,
          parts(measured.result()),
          measured.requests().byApiName(),
          Map.of(
              "filesPerPartition",
              (double) statementsThere * filesOfStatement / Math.max(1, shape.partitions())),
          note());
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

    private String note() {
      return subject == Subject.ZERO_RENAME
          ? String.join(
              " ", hive.console().lines().filter(line -> line.startsWith("zero-rename:")).toList())
          : "";
    }

    /** Returns the bytes of one statement: every statement writes the same. */
    private long check() throws IOException {
      Map<String, Long> objects = server.bucket().contents().objects("hive/" + table() + "/");
      long files = objects.keySet().stream().filter(key -> !key.endsWith("/")).count();
      long most = (long) shape.files() * statementsThere;
      // A task writes no file to a partition of which it has no rows.
      boolean maybeFewer = shape.layout() == Sales.Layout.FILE_PER_TASK && !shape.merged();
      if (files > most || files < (maybeFewer ? most * 9 / 10 : most)) {
        throw new IOException(
            table() + " has " + files + " files: " + objects.keySet() + "\n" + hive.console());
      }
      filesOfStatement = (int) (files / statementsThere);
      return objects.values().stream().mapToLong(Long::longValue).sum() / statementsThere;
    }
  }

  private static double seconds(Map<Phase, Duration> phases, Phase phase) {
    return inSeconds(phases.get(phase));
  }

  private static double inSeconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
