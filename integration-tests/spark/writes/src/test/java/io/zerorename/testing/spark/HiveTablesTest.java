package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.HEAD_OBJECT;
import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static io.zerorename.testing.spark.Numbers.TASKS;
import static io.zerorename.testing.spark.Numbers.ids;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.zerorename.testing.s3server.FaultRule;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.metrics.source.HiveCatalogMetrics;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.planning.GenericStrategy;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.CommandExecutionMode;
import org.apache.spark.sql.internal.SessionState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Statements that write in formats of Hive's, compared with Spark alone; failures, requests. */
@Tag(SparkOnS3.HIVE_TABLES)
final class HiveTablesTest {
  private static final String SPARKS =
      "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol";

  private static final String FACTORY = "mapreduce.outputcommitter.factory.scheme.s3a";

  private static final String PLAIN = "(id BIGINT, p STRING)";
  private static final String PARTITIONED = "(id BIGINT) PARTITIONED BY (p STRING)";
  private static final String TWO_LEVELS = "(id BIGINT) PARTITIONED BY (d INT, p STRING)";

  /** Names of tables are in some files: these are equally long. */
  private static final String OURS = "direct";

  private static final String STOCK = "sparks";

  private static final String INTO = "INSERT INTO T ";
  private static final String OVERWRITE = "INSERT OVERWRITE TABLE T ";
  private static final String ALL = "SELECT id, p FROM numbers ";
  private static final String SOME = "SELECT id, p FROM numbers WHERE id < 30 ";
  private static final String NONE = "SELECT id, p FROM numbers WHERE id < 0 ";

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withHive(
          Map.of(
              "spark.sql.hive.convertMetastoreParquet",
              "false",
              "spark.sql.hive.convertMetastoreOrc",
              "false"));

  @BeforeAll
  static void prepare() throws IOException {
    s3.numbers().rows(0, 40).createOrReplaceTempView("numbers");
  }

  private static Arguments statements(String name, String columns, String... statements) {
    return Arguments.of(name, columns, List.of(statements));
  }

  private static Stream<Arguments> someKinds() {
    return Stream.of(
        statements("overwrite", PLAIN, INTO + ALL, OVERWRITE + SOME),
        statements(
            "dynamic",
            PARTITIONED,
            INTO + "PARTITION (p) " + ALL,
            INTO + "PARTITION (p) " + SOME,
            OVERWRITE + "PARTITION (p) SELECT id, p FROM numbers WHERE p = '1' AND id < 50",
            OVERWRITE + "PARTITION (p) " + NONE));
  }

  private static Stream<Arguments> otherKinds() {
    return Stream.of(
        statements(
            "place of its own",
            PARTITIONED,
            "ALTER TABLE T ADD PARTITION (p = '0') LOCATION 's3a://data/place-T'",
            INTO + "PARTITION (p) " + ALL,
            OVERWRITE + "PARTITION (p) " + SOME,
            OVERWRITE + "PARTITION (p = '0') SELECT id FROM numbers WHERE id < 5"),
        statements("of itself", PLAIN, INTO + ALL, OVERWRITE + "SELECT id + 1, p FROM T"),
        statements(
            "static and dynamic",
            TWO_LEVELS,
            INTO + "PARTITION (d = 1, p) " + ALL,
            INTO + "PARTITION (d = 02, p) " + ALL,
            OVERWRITE + "PARTITION (d = 1, p) SELECT id, 'other' FROM numbers",
            OVERWRITE + "PARTITION (d, p) SELECT id, 2, '0' FROM numbers WHERE id < 7"),
        statements(
            "upper case", "(ID BIGINT) PARTITIONED BY (Pa STRING)", INTO + "PARTITION (PA) " + ALL),
        statements(
            "bucketed", PLAIN + " CLUSTERED BY (id) INTO 4 BUCKETS", INTO + ALL, OVERWRITE + SOME),
        statements(
            "a partition that has other properties",
            "(id BIGINT, q STRING) PARTITIONED BY (p STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY ','",
            INTO + "PARTITION (p = 'x') SELECT id, p FROM numbers",
            "ALTER TABLE T SET SERDEPROPERTIES ('field.delim' = '|', 'serialization.format' = '|')",
            OVERWRITE + "PARTITION (p = 'x') SELECT id, p FROM numbers WHERE id < 5"),
        statements(
            "parquet, compressed otherwise",
            PLAIN + " STORED AS PARQUET TBLPROPERTIES ('parquet.compression' = 'GZIP')",
            INTO + ALL),
        statements(
            "compressed",
            PLAIN,
            "SET hive.exec.compress.output = true",
            INTO + ALL,
            "SET hive.exec.compress.output = false"),
        statements("avro", PLAIN + " STORED AS AVRO", INTO + ALL));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("someKinds")
  void whatSparkLeavesWeLeave(String name, String columns, List<String> statements) {
    SortedMap<String, Object> sparks = sparks(() -> outcome(STOCK, columns, statements, () -> {}));
    s3.countFromHere();

    SortedMap<String, Object> ours =
        outcome(
            OURS,
            columns,
            statements,
            () -> assertThat(s3.bucket().files("_zerorename/" + OURS + "-")).isNotEmpty());

    assertThat(ours).isEqualTo(sparks);
    s3.assertNoneCopiedNonePending();
  }

  @Tag("thorough")
  @ParameterizedTest(name = "{0}")
  @MethodSource("otherKinds")
  void whatSparkLeavesWeLeaveInEveryKind(String name, String columns, List<String> statements) {
    whatSparkLeavesWeLeave(name, columns, statements);
  }

  /** By Spark's own protocol and Hadoop's own committer. */
  private static <T> T sparks(Supplier<T> action) {
    s3.spark().conf().set(SparkOnS3.COMMIT_PROTOCOL, SPARKS);
    s3.spark()
        .conf()
        .set(FACTORY, "org.apache.hadoop.mapreduce.lib.output.FileOutputCommitterFactory");
    try {
      return action.get();
    } finally {
      s3.spark().conf().unset(FACTORY);
      s3.spark()
          .conf()
          .set(SparkOnS3.COMMIT_PROTOCOL, "io.zerorename.spark.ZeroRenameCommitProtocol");
    }
  }

  /** What can be seen of a table after each statement, without its name. */
  private static SortedMap<String, Object> outcome(
      String table, String columns, List<String> statements, Runnable check) {
    String format =
        columns.contains("STORED AS") || columns.contains("ROW FORMAT")
            ? ""
            : " STORED AS TEXTFILE";
    sql("CREATE TABLE " + table + columns + format + " LOCATION '" + s3.s3a(table) + "'");
    try {
      SortedMap<String, Object> outcome = new TreeMap<>();
      for (int i = 0; i < statements.size(); i++) {
        sql(statements.get(i).replaceAll("\\bT\\b", table));
        TableState state = new TableState(s3.spark(), table);
        assertThat(table.equals(OURS) && state.isTrusted()).isFalse();
        outcome.put("after statement " + i, state.comparable());
      }
      check.run();
      return outcome;
    } finally {
      sql("DROP TABLE " + table);
    }
  }

  private static Dataset<Row> sql(String statement) {
    return s3.spark().sql(statement);
  }

  @AfterEach
  void drop() {
    s3.gateway().faults(FaultRule.NONE);
    sql("DROP TABLE IF EXISTS t");
  }

  private static void createTable(String columns) {
    sql("CREATE TABLE t " + columns + " STORED AS TEXTFILE LOCATION '" + s3.s3a("t") + "'");
  }

  private static List<Long> rows() {
    return ids(sql("SELECT id FROM t"));
  }

  private static void assertCommittedByUs(String name) {
    assertThat(s3.bucket().files("_zerorename/" + name + "-")).isNotEmpty();
    s3.assertNoneCopiedNonePending();
  }

  @Test
  void aDirectoryIsOverwritten() {
    overwriteDirectory("id < 40");
    List<String> old = s3.dataFiles("dir/");

    CommitWatch watch = s3.watched("dir/", () -> overwriteDirectory("id < 2"));

    assertThat(watch.visible()).containsAll(old);
    assertCommittedByUs("dir");
    assertThat(s3.lines("dir/")).containsExactly("0,0", "1,1");
  }

  private static void overwriteDirectory(String where) {
    sql(
        "INSERT OVERWRITE DIRECTORY '"
            + s3.s3a("dir")
            + "' ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' SELECT id, p FROM numbers WHERE "
            + where);
  }

  @Test
  void anOverwriteLeavesWhatARunningHiveHasStaged() {
    createTable("(id BIGINT)");
    sql("INSERT INTO t SELECT id FROM numbers");
    s3.bucket().write("t/.hive-staging_hive_1/-ext-10000/000000_0", new byte[] {'1'});

    sql("INSERT OVERWRITE TABLE t SELECT id FROM numbers WHERE id < 5");

    assertThat(s3.bucket().files("t/.hive-staging_hive_1/")).hasSize(1);
    assertThat(rows()).isEqualTo(range(0, 5));
  }

  @Test
  void morePartitionsThanHiveAllowsAreRefusedBeforeTheCommit() {
    createTable("(id BIGINT) PARTITIONED BY (p STRING)");
    String insert = "INSERT INTO t PARTITION (p) SELECT id, cast(id AS STRING) FROM numbers";
    s3.with(
        Map.of("hive.exec.max.dynamic.partitions", "39"),
        () ->
            assertThatThrownBy(() -> sql(insert))
                .hasStackTraceContaining(
                    "Cannot insert into spark_catalog.default.t: the statement writes 40"
                        + " partitions, and hive.exec.max.dynamic.partitions allows 39. Nothing"
                        + " was committed. Set it to at least 40, or write fewer partitions at a"
                        + " time."));

    assertThat(s3.dataFiles("t/")).isEmpty();
    assertThat(rows()).isEmpty();
    s3.assertNoneCopiedNonePending();
  }

  @Test
  void aCachedTableShowsTheNewRows() {
    createTable("(id BIGINT)");
    sql("INSERT INTO t SELECT id FROM numbers");
    sql("CACHE TABLE t");
    assertThat(rows()).hasSize(40);

    sql("INSERT INTO t SELECT id FROM numbers");

    assertThat(rows()).hasSize(80);
  }

  @Test
  void aMetastoreThatCannotBeToldFailsTheStatementWhoseRowsAreCommitted() {
    createTable("(id BIGINT)");
    AtomicBoolean dropped = new AtomicBoolean();
    s3.gateway()
        .faults(
            request -> {
              if (SparkOnS3.COMPLETE.test(request) && dropped.compareAndSet(false, true)) {
                sql("DROP TABLE t");
              }
              return Optional.empty();
            });

    assertThatThrownBy(() -> sql("INSERT INTO t SELECT id FROM numbers"))
        .hasStackTraceContaining(
            "The rows of an insert into spark_catalog.default.t are committed, but the metastore"
                + " could not be updated. Do not run an INSERT INTO again, whose rows would be there"
                + " twice. Run: ANALYZE TABLE spark_catalog.default.t COMPUTE STATISTICS");

    assertThat(s3.lines("t/")).hasSize(40);
  }

  @Test
  void afterAnInterruptedCommitHiveTrustsNoStatisticsOfAPartitionThatItChanged() {
    createTable("(id BIGINT) PARTITIONED BY (p STRING)");
    sparks(() -> sql("INSERT INTO t PARTITION (p = 'x') SELECT id FROM numbers"));
    assertThat(new TableState(s3.spark(), "t").isTrusted()).isTrue();

    s3.breakBeforeAnythingIsVisible(
        () -> sql("INSERT INTO t PARTITION (p = 'x') SELECT id FROM numbers"));

    assertThat(new TableState(s3.spark(), "t").isTrusted()).isFalse();
  }

  @TestFactory
  Stream<DynamicTest> whatIsNotCoveredKeepsSparksPlan() {
    createTable("(id BIGINT) PARTITIONED BY (p STRING)");
    sql("ALTER TABLE t ADD PARTITION (p = 'far') LOCATION 'file:/tmp/far'");
    sql("CREATE TABLE elsewhere (id BIGINT) STORED AS TEXTFILE");
    // No reader could read rows there.
    sql("CREATE TABLE colon (id BIGINT) STORED AS TEXTFILE LOCATION 's3a://data/a:b'");
    sql("CREATE DATABASE managed LOCATION '" + s3.s3a("managed") + "'");
    sql(
        "CREATE TABLE managed.acid (id BIGINT) CLUSTERED BY (id) INTO 2 BUCKETS"
            + " STORED AS ORC TBLPROPERTIES ('transactional' = 'true')");
    sql(
        "CREATE TABLE buckets (id BIGINT) PARTITIONED BY (p STRING) CLUSTERED BY (id)"
            + " INTO 2 BUCKETS STORED AS TEXTFILE LOCATION '"
            + s3.s3a("buckets")
            + "'");
    return Stream.of(
            "INSERT INTO t PARTITION (p = '1') SELECT id FROM numbers | InsertIntoHadoopFsRelation",
            "INSERT INTO t PARTITION (p) SELECT id, p FROM numbers | InsertIntoHadoopFsRelation",
            "INSERT OVERWRITE TABLE t PARTITION (p = '1') IF NOT EXISTS SELECT 1 | InsertIntoHiveTable",
            "INSERT INTO managed.acid SELECT 1 | InsertIntoHiveTable",
            "INSERT INTO buckets PARTITION (p) SELECT id, p FROM numbers | InsertIntoHiveTable",
            "INSERT OVERWRITE TABLE t PARTITION (p = 'far') SELECT 1 | InsertIntoHiveTable",
            "INSERT OVERWRITE DIRECTORY 's3a://data/' SELECT 1 | InsertIntoHiveDir",
            "INSERT OVERWRITE LOCAL DIRECTORY '/tmp/t' SELECT 1 | InsertIntoHiveDir",
            "INSERT OVERWRITE DIRECTORY 'file:/tmp/t' SELECT 1 | InsertIntoHiveDir",
            "INSERT INTO elsewhere SELECT 1 | InsertIntoHiveTable",
            "INSERT INTO colon SELECT 1 | InsertIntoHiveTable",
            // Whether it can be written at all, Spark says when it is executed.
            "INSERT OVERWRITE DIRECTORY 'unknown://place/t' SELECT 1 | InsertIntoHiveDir")
        .map(line -> line.split(" [|] "))
        .map(
            it ->
                dynamicTest(
                    it[0],
                    () ->
                        assertThat(sql("EXPLAIN " + it[0]).first().getString(0)).contains(it[1])));
  }

  /** Spark's command does that. */
  @Tag("thorough")
  @Test
  void thePartitionsOfATableAreListedOnceForAnInsert() {
    createTable("(id BIGINT) PARTITIONED BY (p STRING)");
    sql("INSERT INTO t PARTITION (p) SELECT id, CAST(id AS STRING) FROM numbers");
    sparks(() -> sql("INSERT INTO t PARTITION (p = 'x') SELECT id FROM numbers"));
    assertThat(new TableState(s3.spark(), "t").isTrusted()).isTrue();
    long before = HiveCatalogMetrics.METRIC_PARTITIONS_FETCHED().getCount();

    sql("INSERT INTO t PARTITION (p) SELECT 100L, 'x'");

    assertThat(HiveCatalogMetrics.METRIC_PARTITIONS_FETCHED().getCount() - before).isEqualTo(41);
    assertThat(new TableState(s3.spark(), "t").isTrusted()).isFalse();
  }

  @Test
  void whatOthersTellTheMetastoreOfAPartitionDuringACommitStays() {
    createTable("(id BIGINT) PARTITIONED BY (p STRING)");
    sql("INSERT INTO t PARTITION (p = 'x') SELECT id FROM numbers");
    sql("ALTER TABLE t SET SERDEPROPERTIES ('field.delim' = '|', 'serialization.format' = '|')");
    AtomicBoolean analyzed = new AtomicBoolean();
    s3.gateway()
        .faults(
            request -> {
              if (SparkOnS3.COMPLETE.test(request) && analyzed.compareAndSet(false, true)) {
                sql("ANALYZE TABLE t PARTITION (p = 'x') COMPUTE STATISTICS");
              }
              return Optional.empty();
            });

    sql("INSERT INTO t PARTITION (p = 'x') SELECT id FROM numbers");

    assertThat(sql("DESCRIBE EXTENDED t PARTITION (p = 'x')").collectAsList().toString())
        .contains("Partition Statistics", "field.delim=|");
  }

  /** A class of it has other parameters, or is not there. */
  @ParameterizedTest
  @CsvSource({
    "HiveInserts, execution.datasources.InsertIntoHadoopFsRelationCommand",
    "HiveInserts, hive.execution.InsertIntoHiveTable",
    "LogAwareStatements, execution.command.RunnableCommand",
    "LogAwareStatements, catalyst.plans.logical.DropTable"
  })
  void aSparkThatHasChangedKeepsItsOwnPlan(String extension, String type) throws Exception {
    createTable("(id BIGINT)");
    String changed = "org.apache.spark.sql." + type;
    List<URL> classPath = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      classPath.add(new File(entry).toURI().toURL());
    }
    SessionState session = s3.spark().sessionState();
    LogicalPlan insert = session.sqlParser().parsePlan("INSERT INTO t SELECT id FROM numbers");
    // A copy is not marked as analyzed, and so rules apply to it.
    LogicalPlan plan =
        sparks(() -> session.executePlan(insert, CommandExecutionMode.SKIP()).analyzed().clone());
    assertThat(plan.nodeName()).isEqualTo("InsertIntoHiveTable");
    try (URLClassLoader loader =
        new URLClassLoader(classPath.toArray(URL[]::new), getClass().getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(changed)) {
              throw new ClassNotFoundException(name);
            }
            return name.startsWith("io.zerorename.spark.")
                ? Optional.<Class<?>>ofNullable(findLoadedClass(name)).orElse(findClass(name))
                : super.loadClass(name, resolve);
          }
        }) {
      Constructor<?> made =
          loader
              .loadClass("io.zerorename.spark." + extension)
              .getDeclaredConstructor(SparkSession.class);
      made.setAccessible(true);
      Object result = planned(made.newInstance(s3.spark()), plan);
      if (result instanceof LogicalPlan) {
        assertThat(result).isSameAs(plan);
      } else {
        assertThat(((scala.collection.Seq<?>) result).isEmpty()).isTrue();
      }
    }
  }

  /** By a rule, or by a strategy. */
  private static Object planned(Object extension, LogicalPlan plan) throws Exception {
    Method apply =
        extension instanceof Rule
            ? Rule.class.getMethod("apply", TreeNode.class)
            : GenericStrategy.class.getMethod("apply", LogicalPlan.class);
    return apply.invoke(extension, plan);
  }

  @Test
  void anInsertTakesThreeRequestsForAFile() {
    createTable("(id BIGINT)");
    sql("INSERT INTO t SELECT id FROM numbers");
    s3.countFromHere();

    sql("INSERT INTO t SELECT id FROM numbers");

    assertThat(s3.requests().byType())
        .isEqualTo(
            Map.of(
                CREATE_MULTIPART_UPLOAD,
                (long) TASKS,
                UPLOAD_PART,
                (long) TASKS,
                COMPLETE_MULTIPART_UPLOAD,
                (long) TASKS,
                // That the log can be kept, the entry, its end.
                PUT_OBJECT,
                3L,
                // The log; the others are the metastore's, which counts the files.
                LIST_OBJECTS_V2,
                1L + 2,
                // Those of the tasks.
                LIST_MULTIPART_UPLOADS,
                1L,
                HEAD_OBJECT,
                1L));
  }
}
