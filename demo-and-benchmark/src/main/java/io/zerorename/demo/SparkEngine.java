package io.zerorename.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.sparkjvm.SparkSubject;
import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.Sales.Layout;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.hive.Timeline;
import io.zerorename.testing.s3server.S3Access;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Spark SQL in a JVM of its own, with tables of Hive's. */
final class SparkEngine implements SqlEngine {
  private static final String MAIN = "io.zerorename.testing.spark.MeasuredStatements";

  static final EngineFacts FACTS =
      new EngineFacts(
          "Spark",
          "Spark",
          new EnumMap<>(
              Map.of(
                  Phase.TASKS,
                  "tasks run and write their files; with algorithm 2 each renames them at its end",
                  Phase.COMMIT,
                  "the driver commits the job, and tells the metastore",
                  Phase.REST,
                  "Spark plans the statement, before its first task")),
          Optional.of(
              "statistics of partitions are not compared, because Spark writes none"
                  + " without ANALYZE TABLE"));

  /** Of a run whose partitions are each written by one of the tasks. */
  private static final int TASKS = 4;

  private final SparkJvm spark;
  private final Layout layout;
  private final Path log;
  private Map<String, String> settings = Map.of();
  private Timeline timeline;
  private long logBegin;

  private SparkEngine(SparkJvm spark, Layout layout, Path log) {
    this.spark = spark;
    this.layout = layout;
    this.log = log;
  }

  /**
   * Starts Spark.
   *
   * @param tasks that write, where the layout does not have one per partition
   * @param log of the driver, which is written anew
   */
  static SparkEngine start(int tasks, Layout layout, Path work, Path log, S3Access s3)
      throws IOException {
    Files.deleteIfExists(log);
    Map<String, String> more =
        Map.of(
            "spark.app.name", "demo",
            "spark.sql.shuffle.partitions",
                String.valueOf(layout == Layout.FILE_PER_PARTITION ? TASKS : tasks),
            "spark.sql.adaptive.coalescePartitions.enabled", "false",
            // As Hive overwrites.
            "spark.sql.sources.partitionOverwriteMode", "dynamic");
    return new SparkEngine(
        SparkJvm.start(MAIN, s3, Files.createDirectories(work.resolve("spark")), log, more),
        layout,
        log);
  }

  static List<Way> ways(Layout layout) {
    // The first is the directory marker of the table.
    String files = "|" + layout.directory() + "part-\\d{5}-[^/]+|_SUCCESS";
    return List.of(
        stock("stock", "Spark default", "default", "sales_default", files),
        stock("stockV2", "Spark, algorithm 2", "alg. 2", "sales_algorithm_2", files),
        new Way(
            "zerorename",
            "zero-rename",
            "zero-rename",
            "sales_zero_rename",
            true,
            Pattern.compile(files + "|_zerorename/.*"),
            Pattern.compile(".*zero-rename: committed the output of .*/sales_zero_rename: .*")));
  }

  private static Way stock(
      String key, String title, String shortTitle, String table, String files) {
    return new Way(
        key,
        title,
        shortTitle,
        table,
        false,
        Pattern.compile(files + "|.*/"),
        Pattern.compile(
            "(zero-rename: ZR-\\d{4}: Spark itself inserts into \\S+, with renames, because .*)?"));
  }

  @Override
  public EngineFacts facts() {
    return FACTS;
  }

  @Override
  public Map<String, String> versions() throws StatementFailedException, IOException {
    return Map.of("spark", execute("SELECT version()").get(0).split(" ", 2)[0]);
  }

  @Override
  public List<Way> ways() {
    return ways(layout);
  }

  @Override
  public void use(Way way) {
    SparkSubject stock = way.key().equals("stock") ? SparkSubject.STOCK_1 : SparkSubject.STOCK_2;
    settings = (way.isOurs() ? SparkSubject.ZERO_RENAME : stock).settings();
  }

  @Override
  public List<String> execute(String statement) throws StatementFailedException, IOException {
    StringBuilder line = new StringBuilder(statement.replace('\n', ' '));
    settings.forEach((name, value) -> line.append('\t').append(name).append('=').append(value));
    logBegin = Files.size(log);
    List<String> answer =
        spark.ask(line.toString(), it -> it.startsWith("ran ") || it.startsWith("failed "));
    String end = answer.get(answer.size() - 1);
    if (end.startsWith("failed ")) {
      throw new StatementFailedException(statement + "\n" + end, null);
    }
    String[] times = end.split(" ", -1);
    timeline = new Timeline(instant(times[1]), instant(times[2]), instant(times[3]));
    return answer.stream().limit(answer.size() - 1L).map(row -> row.split("\t", 2)[1]).toList();
  }

  private static Instant instant(String millis) {
    return Instant.ofEpochMilli(Long.parseLong(millis));
  }

  @Override
  public Timeline timeline() {
    return timeline;
  }

  @Override
  public List<String> committerLines() throws IOException {
    try (InputStream in = Files.newInputStream(log)) {
      in.skipNBytes(logBegin);
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> line.contains("zero-rename: "))
          .map(line -> line.substring(line.indexOf("zero-rename: ")))
          .toList();
    }
  }

  @Override
  public Map<String, Map<String, String>> partitions(String table)
      throws StatementFailedException, IOException {
    if (layout == Layout.UNPARTITIONED) {
      return Map.of(Sales.WHOLE_TABLE, Map.of());
    }
    Map<String, Map<String, String>> partitions = new HashMap<>();
    execute("SHOW PARTITIONS " + table).forEach(name -> partitions.put(name, Map.of()));
    return partitions;
  }

  @Override
  public void close() throws IOException {
    spark.close();
  }
}
