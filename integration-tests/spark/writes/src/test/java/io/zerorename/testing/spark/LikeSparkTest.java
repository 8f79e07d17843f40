package io.zerorename.testing.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What users have reported of other committers, each beside Spark's own protocol on the same
 * server: after each statement rows, schema, partitions, files and failures must be the same.
 */
@Tag(SparkOnS3.HIVE_TABLES)
@Tag("thorough")
final class LikeSparkTest {
  private static final String SPARKS =
      "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol";

  private static final String OURS = "io.zerorename.spark.ZeroRenameCommitProtocol";
  private static final String FACTORY = "mapreduce.outputcommitter.factory.scheme.s3a";
  private static final String HADOOPS =
      "org.apache.hadoop.mapreduce.lib.output.FileOutputCommitterFactory";

  private static final String SOURCE = "USING parquet";
  private static final String HIVES = "STORED AS TEXTFILE";
  private static final List<String> FORMATS = List.of(SOURCE, HIVES);
  private static final List<String> MODES = List.of("static", "dynamic");
  private static final String ROWS = " SELECT id, p FROM numbers WHERE id < ";

  @RegisterExtension static final SparkOnS3 s3 = SparkOnS3.withHive(Map.of());

  @BeforeAll
  static void prepare() throws IOException {
    s3.numbers().rows(0, 40).createOrReplaceTempView("numbers");
  }

  /** Runs the same by Spark's own protocol and by ours. */
  private static DynamicTest compared(String name, Consumer<NotedRun> steps) {
    return dynamicTest(
        name,
        () -> {
          s3.reset();
          Map<String, String> stock = Map.of(SparkOnS3.COMMIT_PROTOCOL, SPARKS, FACTORY, HADOOPS);
          List<String> sparks = seen("sparks", stock, steps);
          if (s3.bucket().files("").stream().anyMatch(key -> !key.startsWith("sparks/"))) {
            s3.bucket().clear("");
          }
          List<String> ours = seen("direct", Map.of(SparkOnS3.COMMIT_PROTOCOL, OURS), steps);

          assertThat(ours).isEqualTo(sparks);
          assertThat(s3.bucket().pendingUploads("")).isEmpty();
          List<String> log =
              s3.bucket().files("").stream().filter(it -> it.contains("/log/_")).toList();
          assertThat(log).isNotEmpty();
          for (String entry : log) {
            String marker = entry.replaceAll("\\.ended.*", "") + ".ended";
            assertThat(log).anyMatch(it -> it.startsWith(marker));
          }
        });
  }

  private static List<String> seen(
      String name, Map<String, String> settings, Consumer<NotedRun> steps) {
    NotedRun run = new NotedRun(s3, name);
    settings.forEach(s3.spark().conf()::set);
    try {
      steps.accept(run);
    } finally {
      s3.spark().sql("DROP TABLE IF EXISTS " + name);
      s3.spark().conf().unset(FACTORY);
    }
    return run.seen();
  }

  /**
   * @param format of Spark's data sources, {@code USING …}, or of Hive's
   * @param partition a column and its type
   */
  private static String create(String format, String partition, String location) {
    String column = partition.split(" ", -1)[0];
    String table =
        format.startsWith("USING")
            ? "(id BIGINT, " + partition + ") " + format + " PARTITIONED BY (" + column + ")"
            : "(id BIGINT) PARTITIONED BY (" + partition + ") " + format;
    return "CREATE TABLE T " + table + " LOCATION '" + location + "'";
  }

  private static String plain(String format, String location) {
    return "CREATE TABLE T (id BIGINT, p STRING) " + format + " LOCATION '" + location + "'";
  }

  private static String overwriteMode(String mode) {
    return "SET spark.sql.sources.partitionOverwriteMode = " + mode;
  }

  private static String into(String partition, String rows) {
    return "INSERT INTO T " + partition + rows;
  }

  private static String over(String partition, String rows) {
    return "INSERT OVERWRITE TABLE T " + partition + rows;
  }

  /** SPARK-35592, SPARK-44473. */
  @TestFactory
  Stream<DynamicTest> framesWithoutRows() {
    return Stream.of(false, true)
        .flatMap(
            partitioned ->
                MODES.stream()
                    .map(
                        mode ->
                            compared(
                                (partitioned ? "by p, " : "") + mode,
                                run -> frames(run, partitioned, mode))));
  }

  private static void frames(NotedRun run, boolean partitioned, String mode) {
    record Step(SaveMode save, int rows, String to) {}
    for (Step step :
        List.of(
            new Step(SaveMode.Append, 0, "appended"),
            new Step(SaveMode.Append, 0, "appended"),
            new Step(SaveMode.Overwrite, 0, "replaced"),
            new Step(SaveMode.Overwrite, 0, "replaced"),
            new Step(SaveMode.Append, 6, "replaced"),
            new Step(SaveMode.Overwrite, 0, "replaced"),
            new Step(SaveMode.Overwrite, 0, "replaced"),
            new Step(SaveMode.Ignore, 0, "ignored"),
            new Step(SaveMode.Ignore, 0, "ignored"),
            new Step(SaveMode.ErrorIfExists, 0, "new"),
            new Step(SaveMode.ErrorIfExists, 0, "new"))) {
      run.write(
              step.toString(),
              () ->
                  frame(step.rows(), partitioned)
                      .mode(step.save())
                      .option("partitionOverwriteMode", mode)
                      .save(run.at(step.to())))
          .read("parquet", step.to());
    }
    run.write("no columns", () -> s3.spark().emptyDataFrame().write().parquet(run.at("nothing")));
  }

  private static DataFrameWriter<Row> frame(int rows, boolean partitioned) {
    DataFrameWriter<Row> writer = s3.numbers().rows(0, rows).write().format("parquet");
    return partitioned ? writer.partitionBy("p") : writer;
  }

  @TestFactory
  Stream<DynamicTest> statementsWithoutRows() {
    List<DynamicTest> all = new ArrayList<>();
    for (String format : FORMATS) {
      for (String mode : MODES) {
        all.add(
            compared(
                format + ", " + mode,
                run -> {
                  run.sql(overwriteMode(mode), plain(format, "@/t"));
                  for (int before : List.of(0, 6)) {
                    run.sql(into("", ROWS + before)).table();
                    for (int i = 0; i < 2; i++) {
                      run.sql(over("", ROWS + 0)).table().sql(into("", ROWS + 0)).table();
                    }
                  }
                }));
        all.add(
            compared(
                format + " by p, " + mode,
                run -> {
                  run.sql(overwriteMode(mode), create(format, "p STRING", "@/t"));
                  for (String partition : List.of("p", "p = '0'", "p = '9'")) {
                    String spec = "PARTITION (" + partition + ")";
                    String none = partition.equals("p") ? ROWS + 0 : " SELECT id" + from(0);
                    for (int before : List.of(0, 6)) {
                      run.sql(into("PARTITION (p)", ROWS + before), into(spec, none)).table();
                      run.sql(over(spec, none)).table().sql(over(spec, none)).table();
                    }
                  }
                }));
      }
    }
    return all.stream();
  }

  private static String from(int rows) {
    return " FROM numbers WHERE id < " + rows;
  }

  /** SPARK-31459. Directories in Hive's formats Spark writes by a command of its own. */
  @TestFactory
  DynamicTest directoryThatIsAnObject() {
    return compared(
        "three, none, three rows",
        run -> {
          s3.bucket().write(run.key("o"), new byte[] {'1'});
          for (int rows : List.of(3, 0, 3)) {
            run.sql("INSERT OVERWRITE DIRECTORY '@/o' " + SOURCE + ROWS + rows);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> placesOfOddNames() {
    List<DynamicTest> all = new ArrayList<>();
    for (String place : List.of("a[x]b", "a#b", "a😀b", "a//b", "a b%20+{c,d}?*")) {
      for (String format : FORMATS) {
        if (format.equals(HIVES) && place.matches(".*[\\[{?*].*")) {
          // Spark's own insert loses the rows, and nothing reads those that are there.
          continue;
        }
        all.add(
            compared(
                place + " " + format,
                run -> {
                  String spec = "PARTITION (p = '" + place + "')";
                  String named = " SELECT id, if(id = 1, '" + place + "', p)" + from(4);
                  run.sql(create(format, "p STRING", "@/" + place));
                  run.sql(into("PARTITION (p)", ROWS + 6)).table();
                  run.sql(over(spec, " SELECT id" + from(3))).table();
                  run.sql(over(spec, " SELECT id" + from(2))).table();
                  run.sql(over("PARTITION (p)", named)).table();
                  run.sql("ALTER TABLE T ADD PARTITION (p = 'e') LOCATION '@/p=e/" + place + "'");
                  run.sql(over("PARTITION (p = 'e')", " SELECT id" + from(4))).table();
                  run.sql(over("PARTITION (p = 'e')", " SELECT id" + from(2))).table();
                }));
      }
      all.add(
          compared(
              place + " of a frame",
              run -> {
                String to = "frames/" + place;
                for (SaveMode mode :
                    List.of(
                        SaveMode.Append,
                        SaveMode.Append,
                        SaveMode.Overwrite,
                        SaveMode.ErrorIfExists)) {
                  run.write(mode.name(), () -> frame(6, true).mode(mode).save(run.at(to)))
                      .read("parquet", to)
                      .read("parquet", "frames");
                }
              }));
    }
    return all.stream();
  }

  @TestFactory
  Stream<DynamicTest> partitionsOnAnotherFileSystem(@TempDir Path elsewhere) {
    List<DynamicTest> all = new ArrayList<>();
    for (String format : FORMATS) {
      for (String mode : MODES) {
        all.add(
            compared(
                format + ", " + mode,
                run -> {
                  String location = elsewhere.resolve(run.key("e")).toUri().toString();
                  run.sql(overwriteMode(mode), create(format, "p STRING", "@/t"));
                  run.sql(into("PARTITION (p)", ROWS + 4)).table();
                  run.sql("ALTER TABLE T ADD PARTITION (p = 'e') LOCATION '" + location + "'");
                  run.sql(over("PARTITION (p = '1')", " SELECT id" + from(3))).table();
                  run.sql(over("PARTITION (p = 'e')", " SELECT id" + from(3))).table();
                  if (!format.equals(SOURCE) || mode.equals("dynamic")) {
                    run.sql(over("PARTITION (p)", ROWS + 2)).table();
                  }
                }));
      }
    }
    return all.stream();
  }

  /** Spark's own protocol fails as well, once it has deleted the rows on S3. */
  @Test
  void anOverwriteThatCannotReplaceAPartitionElsewhereChangesNothing(@TempDir Path elsewhere) {
    s3.reset();
    NotedRun run = new NotedRun(s3, "direct");
    run.sql(overwriteMode("static"), create(SOURCE, "p STRING", "@/t"));
    run.sql(into("PARTITION (p)", ROWS + 4));
    run.sql("ALTER TABLE T ADD PARTITION (p = 'e') LOCATION '" + elsewhere.toUri() + "'");
    run.table();
    List<String> before = List.copyOf(run.seen().subList(run.seen().size() - 2, run.seen().size()));
    run.sql(over("PARTITION (p)", ROWS + 2)).table();
    s3.spark().sql("DROP TABLE direct");

    assertThat(run.seen()).anyMatch(it -> it.contains("fails: ") && it.contains("Wrong FS"));
    assertThat(run.seen()).endsWith(before.get(0), before.get(1));
  }

  @TestFactory
  Stream<DynamicTest> partitionsOfOddSpellings() {
    String noPartition = "'__HIVE_DEFAULT_PARTITION__'";
    Map<String, List<String>> spellings =
        Map.of(
            "INT",
            List.of("1", "'01'", "01", "' 1'", "'x'", "NULL", noPartition),
            "STRING",
            List.of("1", "01", "NULL", noPartition, "''", "'A'", "'a'", "DATE'2020-01-02'"),
            "DATE",
            List.of("'2020-01-02'", "DATE'2020-1-2'", "'2020-1-2'"),
            "TIMESTAMP",
            List.of("'2020-01-02 03:04:05'", "'2020-1-2 3:04:05'"),
            "DECIMAL(4,2)",
            List.of("1.5", "'01.5'"));
    List<DynamicTest> all = new ArrayList<>();
    spellings.forEach(
        (type, values) -> {
          for (String format : FORMATS) {
            for (String mode : format.equals(SOURCE) ? MODES : List.of("dynamic")) {
              all.add(
                  compared(
                      type + " " + format + " " + mode,
                      run -> {
                        run.sql(overwriteMode(mode), create(format, "p " + type, "@/t"));
                        for (int i = 0; i < 2 * values.size(); i++) {
                          String name = i % 2 == 0 ? "p" : "P";
                          String spec =
                              "PARTITION (" + name + " = " + values.get(i % values.size()) + ")";
                          String row = " VALUES (" + i + ")";
                          run.sql(i < values.size() ? into(spec, row) : over(spec, row)).table();
                        }
                      }));
            }
          }
        });
    return all.stream();
  }

  @TestFactory
  Stream<DynamicTest> tablesAtABucketsRoot() {
    List<DynamicTest> all = new ArrayList<>();
    for (String format : FORMATS) {
      for (String root : List.of(s3.s3a(""), s3.s3a("").replaceAll("/$", ""))) {
        all.add(compared(format + " at " + root, run -> atRoot(run, format, root)));
        for (String mode : MODES) {
          all.add(
              compared(
                  format + " at " + root + " by p " + mode,
                  run -> {
                    run.sql(overwriteMode(mode));
                    atRootByPartition(run, format, root);
                  }));
        }
      }
    }
    return all.stream();
  }

  private static void atRoot(NotedRun run, String format, String root) {
    run.sql(plain(format, root), over("", ROWS + 4)).table().root();
    run.sql(into("", ROWS + 4)).table().root();
    run.sql(over("", ROWS + 5)).table().root();
    beside();
    run.sql(over("", ROWS + 2)).root();
  }

  private static void atRootByPartition(NotedRun run, String format, String root) {
    run.sql(create(format, "p STRING", root), over("PARTITION (p)", ROWS + 4)).table().root();
    run.sql(into("PARTITION (p)", ROWS + 4)).table().root();
    run.sql(over("PARTITION (p)", ROWS + 5)).table().root();
    beside();
    run.sql(over("PARTITION (p)", ROWS + 2)).root();
    run.sql(over("PARTITION (p = '0')", " SELECT id" + from(5))).root();
  }

  /** Another table in the bucket, with a log. */
  private static void beside() {
    for (String key : List.of("_zerorename/x-1/log/_1", "_zerorename/x-1/log/_1.ended", "t/file")) {
      s3.bucket().write("other/" + key, new byte[0]);
    }
  }
}
