package io.zerorename.testing.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What users have reported of other committers, each beside Spark's own protocol on the same
 * server: after each statement rows, schema, partitions, files and failures must be the same.
 */
@Tag(SparkOnS3.HIVE_TABLES)
@Tag("thorough")
final class LikeSparkTest {
  private static final String SPARKS =
      "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol";

  private static final String FACTORY = "mapreduce.outputcommitter.factory.scheme.s3a";

  /** Names of tables and of their buckets' directories, equally long. */
  private static final String OURS = "direct";

  private static final String STOCK = "sparks";

  private static SparkOnS3 s3;
  private static Numbers numbers;

  @BeforeAll
  static void start() throws IOException {
    s3 = SparkOnS3.startWithHive(Map.of("spark.driver.maxResultSize", "16m"));
    numbers = new Numbers(s3.spark());
    numbers.rows(0, 40).createOrReplaceTempView("numbers");
  }

  @AfterAll
  static void stop() throws IOException {
    s3.close();
  }

  @BeforeEach
  void reset() {
    s3.reset();
  }

  /** Runs statements at a place of a name, and notes what can be seen after each. */
  private static final class Run {
    private final String name;
    private final List<String> seen = new ArrayList<>();

    Run(String name) {
      this.name = name;
    }

    String at(String key) {
      return s3.s3a(name + "/" + key);
    }

    /** Each {@code T} is the table, {@code @} the directory of all that is written. */
    Run sql(String... statements) {
      for (String statement : statements) {
        String whole = statement.replaceAll("\\bT\\b", name).replace("@", s3.s3a(name));
        note(statement, () -> s3.spark().sql(whole));
      }
      return this;
    }

    Run write(String what, Runnable write) {
      note(what, write);
      return this;
    }

    private void note(String what, Runnable action) {
      String failure = "";
      try {
        action.run();
      } catch (Exception e) {
        // Spark's own exceptions are not declared.
        failure = " fails: " + reason(e);
      }
      seen.add(plain(what + failure));
      seen.add(plain("  files " + files()));
    }

    private List<String> files() {
      return s3.bucket().files(name + "/").stream()
          .filter(key -> !key.contains("/_zerorename/"))
          .map(key -> key.replaceAll("[-._][0-9a-f]{8}-[0-9a-f-]{27}", ""))
          .toList();
    }

    Run table() {
      return query("SELECT * FROM T").partitions();
    }

    Run query(String query) {
      return rows(query, () -> s3.spark().sql(query.replaceAll("\\bT\\b", name)));
    }

    Run read(String format, String key) {
      return rows("read " + key, () -> s3.spark().read().format(format).load(at(key)));
    }

    private Run rows(String what, Supplier<Dataset<Row>> rows) {
      try {
        Dataset<Row> read = rows.get();
        seen.add(
            plain(
                "  "
                    + what
                    + ": "
                    + read.schema().simpleString()
                    + " "
                    + read.collectAsList().stream().map(Row::toString).sorted().toList()));
      } catch (Exception e) {
        seen.add(plain("  " + what + " fails: " + reason(e)));
      }
      return this;
    }

    /** All that is in the bucket but the log. */
    Run root() {
      seen.add(
          "  root "
              + s3.bucket().files("").stream()
                  .filter(key -> !key.startsWith("_zerorename/"))
                  .map(key -> key.replaceAll("[-._][0-9a-f]{8}-[0-9a-f-]{27}", ""))
                  .toList());
      return this;
    }

    Run partitions() {
      try {
        seen.add(
            "  partitions "
                + s3.spark().sql("SHOW PARTITIONS " + name).collectAsList().stream()
                    .map(row -> row.getString(0))
                    .sorted()
                    .toList());
      } catch (Exception e) {
        seen.add("  partitions fail: " + plain(reason(e)));
      }
      return this;
    }

    private String plain(String text) {
      return text.replace(name, "T").replaceAll("spark_catalog.default.", "");
    }

    private static String reason(Throwable failure) {
      Throwable root = failure;
      while (root.getCause() != null && root.getCause() != root) {
        root = root.getCause();
      }
      return root.getClass().getSimpleName()
          + ": "
          + String.valueOf(root.getMessage())
              .lines()
              .findFirst()
              .orElse("")
              .replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "ID");
    }
  }

  /**
   * @param format of Spark's data sources, {@code USING …}, or of Hive's
   * @param partition a column and its type; empty for a table without partitions
   */
  private static String create(String columns, String partition, String format, String location) {
    String table = "CREATE TABLE T (" + columns;
    if (partition.isEmpty()) {
      table += ") " + format;
    } else if (isSource(format)) {
      table +=
          ", "
              + partition
              + ") "
              + format
              + " PARTITIONED BY ("
              + partition.split(" ", -1)[0]
              + ")";
    } else {
      table += ") PARTITIONED BY (" + partition + ") " + format;
    }
    return table + " LOCATION '" + location + "'";
  }

  private static boolean isSource(String format) {
    return format.startsWith("USING");
  }

  private static Arguments scenario(String name, Consumer<Run> steps) {
    return Arguments.of(name, steps);
  }

  private static DataFrameWriter<Row> none(boolean partitioned, String format) {
    return writer(numbers.rows(0, 0), partitioned, format);
  }

  private static DataFrameWriter<Row> writer(
      Dataset<Row> rows, boolean partitioned, String format) {
    DataFrameWriter<Row> writer = rows.write().format(format);
    return partitioned ? writer.partitionBy("p") : writer;
  }

  private static Stream<Arguments> emptyFrames() {
    List<Arguments> all = new ArrayList<>();
    for (String format : List.of("parquet", "orc", "csv")) {
      for (boolean partitioned : List.of(false, true)) {
        for (String mode : List.of("static", "dynamic")) {
          all.add(
              scenario(
                  format + (partitioned ? " by p, " : ", ") + mode,
                  run -> {
                    for (int i = 0; i < 2; i++) {
                      run.write(
                              "append none",
                              () ->
                                  none(partitioned, format).mode(SaveMode.Append).save(run.at("n")))
                          .read(format, "n");
                    }
                    for (int i = 0; i < 2; i++) {
                      run.write(
                              "overwrite by none",
                              () ->
                                  none(partitioned, format)
                                      .mode(SaveMode.Overwrite)
                                      .option("partitionOverwriteMode", mode)
                                      .save(run.at("o")))
                          .read(format, "o");
                    }
                    run.write(
                        "some",
                        () ->
                            writer(numbers.rows(0, 6), partitioned, format)
                                .mode(SaveMode.Append)
                                .save(run.at("o")));
                    run.read(format, "o");
                    for (int i = 0; i < 2; i++) {
                      run.write(
                              "overwrite some by none",
                              () ->
                                  none(partitioned, format)
                                      .mode(SaveMode.Overwrite)
                                      .option("partitionOverwriteMode", mode)
                                      .save(run.at("o")))
                          .read(format, "o");
                    }
                    for (SaveMode save : List.of(SaveMode.Ignore, SaveMode.ErrorIfExists)) {
                      for (int i = 0; i < 2; i++) {
                        run.write(
                            save + "",
                            () ->
                                none(partitioned, format)
                                    .mode(save)
                                    .save(run.at(save.name().toLowerCase(Locale.ROOT))));
                      }
                    }
                    run.write(
                        "no columns",
                        () ->
                            s3.spark()
                                .emptyDataFrame()
                                .write()
                                .format(format)
                                .save(run.at("nothing")));
                  }));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("emptyFrames")
  void framesWithoutRows(String name, Consumer<Run> steps) {
    compare(steps);
  }

  private static void compare(Consumer<Run> steps) {
    Run sparks = new Run(STOCK);
    s3.spark().conf().set(SparkOnS3.COMMIT_PROTOCOL, SPARKS);
    s3.spark()
        .conf()
        .set(FACTORY, "org.apache.hadoop.mapreduce.lib.output.FileOutputCommitterFactory");
    try {
      steps.accept(sparks);
    } finally {
      s3.spark().sql("DROP TABLE IF EXISTS " + STOCK);
      s3.spark().conf().unset(FACTORY);
      s3.spark()
          .conf()
          .set(SparkOnS3.COMMIT_PROTOCOL, "io.zerorename.spark.ZeroRenameCommitProtocol");
    }
    if (s3.bucket().files("").stream().anyMatch(key -> !key.startsWith(STOCK + "/"))) {
      s3.bucket().clear("");
    }
    Run ours = new Run(OURS);
    try {
      steps.accept(ours);
    } finally {
      s3.spark().sql("DROP TABLE IF EXISTS " + OURS);
    }
    assertThat(ours.seen).isEqualTo(sparks.seen);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    List<String> log = s3.bucket().files("").stream().filter(it -> it.contains("/log/_")).toList();
    assertThat(log).isNotEmpty();
    for (String entry : log) {
      assertThat(log).anyMatch(it -> it.startsWith(entry.replaceAll("\\.ended.*", "") + ".ended"));
    }
  }

  private static Stream<Arguments> emptyStatements() {
    List<Arguments> all = new ArrayList<>();
    for (String format : List.of("USING parquet", "STORED AS TEXTFILE", "STORED AS PARQUET")) {
      for (String mode : List.of("static", "dynamic")) {
        String set = "SET spark.sql.sources.partitionOverwriteMode = " + mode;
        all.add(
            scenario(
                format + ", " + mode,
                run -> {
                  String none = "SELECT id, p FROM numbers WHERE id < 0";
                  run.sql(
                      set, "CREATE TABLE T (id BIGINT, p STRING) " + format + " LOCATION '@/t'");
                  for (String some :
                      List.of("", "INSERT INTO T SELECT id, p FROM numbers WHERE id < 6")) {
                    if (!some.isEmpty()) {
                      run.sql(some).table();
                    }
                    for (int i = 0; i < 2; i++) {
                      run.sql("INSERT OVERWRITE TABLE T " + none).table();
                      run.sql("INSERT INTO T " + none).table();
                    }
                  }
                }));
        all.add(
            scenario(
                format + " by p, " + mode,
                run -> {
                  run.sql(set, create("id BIGINT", "p STRING", format, "@/t"));
                  for (String insert : List.of("INSERT INTO T", "INSERT OVERWRITE TABLE T")) {
                    for (String partition : List.of("p", "p = '0'", "p = '9'")) {
                      for (boolean some : List.of(false, true)) {
                        if (some) {
                          run.sql(
                              "INSERT INTO T PARTITION (p) SELECT id, p FROM numbers WHERE id < 6");
                        }
                        for (int i = 0; i < (insert.contains("OVER") ? 2 : 1); i++) {
                          run.sql(
                                  insert
                                      + " PARTITION ("
                                      + partition
                                      + ") SELECT id"
                                      + (partition.equals("p") ? ", p" : "")
                                      + " FROM numbers WHERE id < 0")
                              .table();
                        }
                      }
                    }
                  }
                }));
      }
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("emptyStatements")
  void statementsWithoutRows(String name, Consumer<Run> steps) {
    compare(steps);
  }

  private static Stream<Arguments> objects() {
    List<Arguments> all = new ArrayList<>();
    for (String format :
        List.of(
            "USING parquet",
            "USING csv",
            "STORED AS TEXTFILE",
            "STORED AS PARQUET",
            "ROW FORMAT DELIMITED FIELDS TERMINATED BY ','")) {
      all.add(
          scenario(
              format,
              run -> {
                s3.bucket().write(run.name + "/o", new byte[] {'1'});
                String insert =
                    "INSERT OVERWRITE DIRECTORY '@/o' "
                        + format
                        + " SELECT id, p FROM numbers WHERE id < ";
                run.sql(insert + 3);
                run.sql(insert + 0);
                run.sql(insert + 3);
              }));
    }
    return all.stream();
  }

  /** SPARK-31459. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("objects")
  void directoriesThatAreObjects(String name, Consumer<Run> steps) {
    compare(steps);
  }

  private static Stream<Arguments> places() {
    List<Arguments> all = new ArrayList<>();
    for (String place : List.of("a[x]b", "a#b", "a😀b", "a//b", "a b%20+{c,d}?*")) {
      for (String format : List.of("USING parquet", "STORED AS TEXTFILE")) {
        all.add(
            scenario(
                place + " " + format,
                run -> {
                  run.sql(
                          create("id BIGINT", "p STRING", format, "@/" + place),
                          "INSERT INTO T PARTITION (p) SELECT id, p FROM numbers WHERE id < 6")
                      .table();
                  run.sql(
                          "INSERT OVERWRITE TABLE T PARTITION (p = '"
                              + place
                              + "') SELECT id FROM numbers WHERE id < 3")
                      .table();
                  run.sql(
                          "INSERT OVERWRITE TABLE T PARTITION (p = '"
                              + place
                              + "') SELECT id FROM numbers WHERE id < 2")
                      .table();
                  run.sql(
                          "INSERT OVERWRITE TABLE T PARTITION (p) SELECT id, if(id = 1, '"
                              + place
                              + "', p) FROM numbers WHERE id < 4")
                      .table();
                  run.sql(
                          "ALTER TABLE T ADD PARTITION (p = 'else') LOCATION '@/else/"
                              + place
                              + "'",
                          "INSERT OVERWRITE TABLE T PARTITION (p = 'else') SELECT id FROM numbers"
                              + " WHERE id < 4",
                          "INSERT OVERWRITE TABLE T PARTITION (p = 'else') SELECT id FROM numbers"
                              + " WHERE id < 2")
                      .table();
                }));
      }
      all.add(
          scenario(
              place + " of a frame",
              run -> {
                for (SaveMode mode :
                    List.of(
                        SaveMode.Append,
                        SaveMode.Append,
                        SaveMode.Overwrite,
                        SaveMode.ErrorIfExists)) {
                  run.write(
                          mode + "",
                          () ->
                              writer(numbers.rows(0, 6), true, "parquet")
                                  .mode(mode)
                                  .save(run.at("frames/" + place)))
                      .read("parquet", "frames/" + place)
                      .read("parquet", "frames");
                }
              }));
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("places")
  void placesOfOddNames(String name, Consumer<Run> steps) {
    compare(steps);
  }

  private static Stream<Arguments> spellings() {
    List<Arguments> all = new ArrayList<>();
    record Spelled(String type, List<String> values) {}
    for (Spelled spelled :
        List.of(
            new Spelled(
                "INT",
                List.of("1", "'01'", "01", "' 1'", "'x'", "NULL", "'__HIVE_DEFAULT_PARTITION__'")),
            new Spelled(
                "STRING",
                List.of(
                    "1",
                    "01",
                    "NULL",
                    "'__HIVE_DEFAULT_PARTITION__'",
                    "''",
                    "'A'",
                    "'a'",
                    "DATE'2020-01-02'")),
            new Spelled("DATE", List.of("'2020-01-02'", "DATE'2020-1-2'", "'2020-1-2'")),
            new Spelled("TIMESTAMP", List.of("'2020-01-02 03:04:05'", "'2020-1-2 3:04:05'")),
            new Spelled("DECIMAL(4,2)", List.of("1.5", "'01.5'")))) {
      for (String format : List.of("USING parquet", "STORED AS TEXTFILE")) {
        for (String mode : isSource(format) ? List.of("static", "dynamic") : List.of("dynamic")) {
          all.add(
              scenario(
                  spelled.type() + " " + format + " " + mode,
                  run -> {
                    run.sql(
                        "SET spark.sql.sources.partitionOverwriteMode = " + mode,
                        create("id BIGINT", "p " + spelled.type(), format, "@/t"));
                    long id = 0;
                    for (String insert : List.of("INSERT INTO", "INSERT OVERWRITE TABLE")) {
                      for (String value : spelled.values()) {
                        run.sql(
                            insert
                                + " T PARTITION ("
                                + (id % 2 == 0 ? "p" : "P")
                                + " = "
                                + value
                                + ") VALUES ("
                                + id++
                                + ")");
                      }
                      run.table();
                    }
                  }));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("spellings")
  void partitionsOfOddSpellings(String name, Consumer<Run> steps) {
    compare(steps);
  }

  private static Stream<Arguments> writers() {
    return Stream.of("USING parquet", "USING csv", "STORED AS TEXTFILE")
        .map(
            format ->
                scenario(
                    format,
                    run -> {
                      s3.spark().conf().set("spark.sql.maxConcurrentOutputFileWriters", "5");
                      try {
                        run.sql(create("id BIGINT", "p STRING", format, "@/t"));
                        for (String insert : List.of("INTO T", "INTO T", "OVERWRITE TABLE T")) {
                          run.sql(
                                  "INSERT "
                                      + insert
                                      + " PARTITION (p) SELECT id, cast(id % 20 AS STRING) FROM"
                                      + " numbers")
                              .table();
                        }
                        run.sql(
                                "INSERT OVERWRITE TABLE T PARTITION (p) SELECT id, cast(id % 4 AS"
                                    + " STRING) FROM numbers")
                            .table();
                      } finally {
                        s3.spark().conf().unset("spark.sql.maxConcurrentOutputFileWriters");
                      }
                    }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writers")
  void morePartitionsThanWriters(String name, Consumer<Run> steps) {
    compare(steps);
  }

  /** The bucket's root is one place, so each has it for itself. */
  private static Stream<Arguments> roots() {
    List<Arguments> all = new ArrayList<>();
    for (String format : List.of("USING parquet", "STORED AS TEXTFILE")) {
      for (String root :
          isSource(format) ? List.of("s3a://data/", "s3a://data") : List.of("s3a://data/")) {
        for (boolean partitioned : List.of(false, true)) {
          for (String mode :
              partitioned && isSource(format) ? List.of("static", "dynamic") : List.of("static")) {
            all.add(
                scenario(
                    format + " at " + root + (partitioned ? " by p " : " ") + mode,
                    run -> {
                      run.sql(
                              "SET spark.sql.sources.partitionOverwriteMode = " + mode,
                              partitioned
                                  ? create("id BIGINT", "p STRING", format, root)
                                  : create("id BIGINT, p STRING", "", format, root))
                          .table();
                      String spec = partitioned ? " PARTITION (p) " : " ";
                      run.sql(
                              "INSERT OVERWRITE TABLE T"
                                  + spec
                                  + "SELECT id, p FROM numbers WHERE id < 4")
                          .table()
                          .root();
                      run.sql("INSERT INTO T" + spec + "SELECT id, p FROM numbers WHERE id < 4")
                          .table()
                          .root();
                      run.sql(
                              "INSERT OVERWRITE TABLE T"
                                  + spec
                                  + "SELECT id + 100, p FROM numbers WHERE id < 5")
                          .table()
                          .root();
                      s3.bucket().write("other/_zerorename/x-1/log/_1", new byte[0]);
                      s3.bucket().write("other/_zerorename/x-1/log/_1.ended", new byte[0]);
                      s3.bucket().write("other/t/file", new byte[0]);
                      run.sql(
                              "INSERT OVERWRITE TABLE T"
                                  + spec
                                  + "SELECT id + 200, p FROM numbers WHERE id < 2")
                          .root();
                      if (partitioned) {
                        run.sql(
                                "INSERT OVERWRITE TABLE T PARTITION (p = '0') SELECT id + 300 FROM"
                                    + " numbers WHERE id < 5")
                            .root();
                      }
                    }));
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("roots")
  void tablesAtABucketsRoot(String name, Consumer<Run> steps) {
    compare(steps);
  }

  @Test
  void tenThousandPartitionsInOneStatement() {
    s3.spark()
        .sql(
            "INSERT OVERWRITE DIRECTORY '"
                + s3.s3a("many")
                + "' USING csv OPTIONS (header true) SELECT 1");
    s3.countFromHere();

    s3.spark()
        .range(0, 10_000, 1, 3)
        .selectExpr("id", "id AS p")
        .write()
        .partitionBy("p")
        .mode(SaveMode.Overwrite)
        .csv(s3.s3a("many"));

    assertThat(s3.dataFiles("many/"))
        .hasSize(10_000)
        .extracting(key -> key.split("/", -1)[1])
        .doesNotHaveDuplicates();
    s3.assertCommittedByUs("many");
  }
}
