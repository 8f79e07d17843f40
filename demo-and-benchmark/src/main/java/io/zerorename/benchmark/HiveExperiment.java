package io.zerorename.benchmark;

import static java.util.stream.Collectors.joining;

import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.MetastoreCalls;
import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.hive.Subject;
import io.zerorename.testing.hive.Timeline;
import io.zerorename.testing.localfs.LocalDiskOfHive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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

  /** What the note of a run through our committer begins with; anything else is a fallback. */
  static final String USED = "zero-rename: committed";

  private static final double SCALE = 0.01;
  private static final int TYPICAL = 100;
  private static final int MOST = 1_000;
  private static final Shape WARM_UP = new Shape("ORC", true, 3);

  /** How many statements have left their files in a table, by its name. */
  private final Map<String, Integer> statements = new HashMap<>();

  private Sales sales;
  private LocalHive hive;

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

    /** What takes a quarter of an hour is measured of one kind of statement only. */
    boolean isMeasuredWith(Subject subject) {
      boolean isOrc = format.equals("ORC");
      return partitions < MOST
          || (subject == Subject.STOCK ? isOrc && overwrite : isOrc || overwrite);
    }

    /** Three times at most, of which two are the rounds' share of the table's creation and rows. */
    double estimatedRequests(Subject subject) {
      double ofPartition =
          switch (subject) {
            case STOCK -> 64;
            case STOCK_SCRATCH -> 26;
            case ZERO_RENAME -> 3.2;
          };
      return 30 + 2 * partitions * ofPartition;
    }
  }

  @Override
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (int partitions : List.of(1, 10, TYPICAL, MOST)) {
      for (String format : List.of("ORC", "PARQUET")) {
        for (boolean overwrite : List.of(true, false)) {
          Shape shape = new Shape(format, overwrite, partitions);
          for (Subject subject : Subject.values()) {
            if (shape.isMeasuredWith(subject)) {
              trials.add(trial(shape, subject));
            }
          }
        }
      }
    }
    return trials;
  }

  private Trial trial(Shape shape, Subject subject) {
    boolean isTypical = shape.partitions() == TYPICAL;
    return new Trial(
        shape.caseName(),
        subject.id(),
        isTypical && shape.overwrite(),
        isTypical ? subject == Subject.STOCK : shape.partitions() != 1,
        shape.estimatedRequests(subject),
        (server, round) -> insert(subject, shape, server));
  }

  @Override
  public void start(SlowServer server, Path directory) throws IOException, InterruptedException {
    sales = Sales.generate(directory.resolve("source"), SCALE);
    Map<String, String> settings = new HashMap<>(server.bucket().access().settings());
    settings.putAll(MetastoreCalls.SETTINGS);
    settings.put("fs.file.impl", LocalDiskOfHive.class.getName());
    hive = LocalHive.start(Files.createDirectories(directory.resolve("hive")), settings);
    try {
      for (String statement : sales.createSources()) {
        hive.execute(statement);
      }
    } catch (StatementFailedException e) {
      throw new IOException("Hive cannot create the source tables", e);
    }
    for (Subject subject : Subject.values()) {
      insert(subject, WARM_UP, server);
    }
  }

  @Override
  public void close() throws IOException {
    if (hive != null) {
      hive.close();
    }
  }

  private Sample insert(Subject subject, Shape shape, SlowServer server)
      throws IOException, InterruptedException {
    String table =
        "%s_l%d_%s"
            .formatted(shape.caseName(), server.delayMillis(), subject.id())
            .replace('-', '_');
    Sales days = sales.ofFirstDays(shape.partitions());
    subject.configure(hive);
    try {
      if (!statements.containsKey(table)) {
        String location = server.bucket().location("hive/" + table);
        hive.execute(days.createTarget(table, location, shape.format()));
        hive.execute(days.insertOverwrite(table));
        statements.put(table, 1);
      }
      MetastoreCalls.forget();
      String statement = shape.overwrite() ? days.insertOverwrite(table) : days.insertInto(table);
      Measured<List<String>> measured = server.measure(() -> hive.execute(statement));
      int there = statements.merge(table, shape.overwrite() ? 0 : 1, Integer::sum);
      List<Long> sizes = server.dataFiles("hive/" + table, shape.partitions() * there);
      return new Sample(
          shape.partitions(),
          sizes.stream().mapToLong(Long::longValue).sum() / there,
          parts(measured.wall()),
          measured.requests().byApiName(),
          Map.of("filesPerPartition", (double) there),
          subject == Subject.ZERO_RENAME ? note(hive.console()) : "");
    } catch (StatementFailedException e) {
      throw new IOException(subject.id() + " failed in " + table, e);
    }
  }

  private Map<String, Double> parts(Duration wall) {
    Timeline timeline = new Timeline(hive.times());
    Map<String, Double> seconds = new LinkedHashMap<>();
    timeline.durations(wall).forEach((phase, time) -> seconds.put(phase.key(), seconds(time)));
    double metastore =
        seconds(timeline.inMetastore(Set.of(Phase.COMMIT, Phase.MOVE), MetastoreCalls.all()));
    seconds.put(METASTORE, metastore);
    seconds.merge(Sample.COMMIT, seconds.remove(Phase.MOVE.key()) - metastore, Double::sum);
    seconds.put(Sample.TOTAL, seconds(wall));
    return seconds;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  /** What the committer says of a statement, and so why it kept Hive's own path, if it did. */
  static String note(String console) {
    String said =
        console.lines().filter(line -> line.startsWith("zero-rename:")).collect(joining(" "));
    return said.isEmpty() ? "the hook said nothing" : said;
  }
}
