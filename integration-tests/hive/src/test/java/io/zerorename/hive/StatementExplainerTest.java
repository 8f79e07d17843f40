package io.zerorename.hive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.zerorename.cli.ZeroRename;
import io.zerorename.hive.Explanation.Verdict;
import io.zerorename.hive.fallback.FallbackReason;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is explained is what the hook decides, and nothing is left of the question. */
class StatementExplainerTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @BeforeEach
  void createTables() throws Exception {
    s3.hive()
        .execute(
            "create external table if not exists explain_plain (a int) stored as orc location"
                + " 's3a://warehouse/explain_plain'");
    s3.hive()
        .execute(
            "create external table if not exists explain_parted (a int) partitioned by (p int)"
                + " stored as parquet location 's3a://warehouse/explain_parted'");
    s3.hive()
        .execute(
            "create external table if not exists explain_skewed (a int) skewed by (a) on (1)"
                + " stored as directories stored as orc location 's3a://warehouse/explain_skewed'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "insert into explain_plain values (1)                                    | COMMITTER     |",
        "insert overwrite table explain_plain select a from explain_parted;      | COMMITTER     |",
        "insert into explain_parted partition (p) select a, a from explain_plain | COMMITTER     |",
        "insert into explain_skewed select * from explain_plain        | HIVE | LIST_BUCKETING",
        "insert into explain_plain select a from explain_plain where a > 1 union all select a + 1"
            + " from explain_plain                                        | COMMITTER     |",
        "create external table explain_copy stored as orc location"
            + " 's3a://warehouse/explain_copy' as select * from explain_plain | COMMITTER |",
        "insert overwrite directory 's3a://warehouse/explain_dir' select * from explain_plain"
            + "                                                           | COMMITTER     |",
        "select count(*) from explain_plain                                | NOT_APPLICABLE |",
        "drop table explain_plain                                          | NOT_APPLICABLE |"
      })
  void statementIsJudgedAsTheHookJudgesIt(String statement, Verdict verdict, String reason)
      throws Exception {
    List<Explanation> explained = explain(statement);
    s3.hive().compile(statement.replaceFirst(";$", ""));
    String console = s3.hive().console();

    assertThat(explained).hasSize(1);
    assertThat(explained.get(0).verdict()).isEqualTo(verdict);
    assertThat(explained.get(0).reason()).isEqualTo(reason == null ? "" : reason);
    if (verdict == Verdict.HIVE) {
      assertThat(console)
          .contains(
              explained.get(0).target()
                  + " is written by Hive's own rename path: "
                  + reason
                  + ", "
                  + explained.get(0).text());
    } else {
      assertThat(console).doesNotContain("Hive's own rename path");
    }
  }

  @Test
  void everyTargetIsJudged() throws Exception {
    assertThat(
            explain(
                "from explain_plain insert into explain_plain select a insert into explain_skewed"
                    + " select a insert overwrite table explain_parted partition (p=1) select a"
                    + " insert overwrite table explain_parted partition (p=2) select a"))
        .extracting(Explanation::target, Explanation::reason)
        .containsExactlyInAnyOrder(
            tuple("default.explain_plain", ""),
            tuple("default.explain_skewed", "LIST_BUCKETING"),
            tuple("default.explain_parted (s3a://warehouse/explain_parted/p=1)", ""),
            tuple("default.explain_parted (s3a://warehouse/explain_parted/p=2)", ""));
  }

  @Test
  void nameOfTableStandsForBothInserts() throws Exception {
    s3.hive().set("fs.trash.interval", "60");
    s3.hive().set("hive.exec.dynamic.partition.mode", "strict");
    assertThat(explain("default.explain_parted"))
        .satisfiesExactly(
            into -> {
              assertThat(into.statement()).startsWith("INSERT INTO TABLE default.explain_parted");
              assertThat(into.verdict()).isEqualTo(Verdict.COMMITTER);
            },
            overwrite -> {
              assertThat(overwrite.statement()).startsWith("INSERT OVERWRITE");
              assertThat(overwrite.reason()).isEqualTo(FallbackReason.TRASH.name());
              assertThat(overwrite.text()).contains("fs.trash.interval", "auto.purge");
            });
  }

  @Test
  void hookThatIsNotSetIsTold() throws Exception {
    s3.withoutCommitter();
    Explanation explanation = explain("insert into explain_plain values (1)").get(0);
    assertThat(explanation.reason()).isEqualTo(Explanation.NOT_INSTALLED);
    assertThat(explanation.text()).contains("hive.semantic.analyzer.hook", "ZeroRenameHook");
    assertThat(explanation.setting()).contains("hive.semantic.analyzer.hook");
  }

  @Test
  void statementThatWouldFailIsTold() throws Exception {
    s3.hive().set("zerorename.hive.fallback", "fail");
    assertThat(explain("insert into explain_skewed select * from explain_plain").get(0).text())
        .endsWith("the statement would fail for that, as zerorename.hive.fallback is fail");
  }

  @Test
  void settingOfTheSessionCounts() throws Exception {
    s3.hive().set("hive.merge.tezfiles", "true");
    assertThat(explain("insert into explain_plain select a from explain_plain").get(0).reason())
        .isEqualTo(FallbackReason.CONDITIONAL_TASK.name());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hive.merge.tezfiles           | true  | CONDITIONAL_TASK  | hive.merge.tezfiles",
        "hive.query.lifetime.hooks     | org.apache.hadoop.hive.ql.hooks.MetricsQueryLifeTimeHook"
            + " | LIFETIME_HOOK_MISSING | hive.query.lifetime.hooks",
        "fs.trash.interval             | 60    | TRASH             | fs.trash.interval",
        "hive.repl.cm.enabled          | true  | REPLICATION       | hive.repl.cm.enabled",
        "zerorename.hive.enabled       | false | DISABLED          | zerorename.hive.enabled",
        "zerorename.bucket.warehouse.hive.enabled | false | DISABLED"
            + " | zerorename.bucket.warehouse.hive.enabled",
        "zerorename.commit.threads     | many  | BAD_CONFIGURATION | zerorename.commit.threads",
        "hive.execution.mode           | llap  | ENGINE            | hive.execution.mode",
        "fs.s3a.multipart.uploads.enabled | false | MULTIPART_OFF"
            + " | fs.s3a.multipart.uploads.enabled",
        "fs.s3a.bucket.warehouse.encryption.algorithm | CSE-KMS | CLIENT_SIDE_ENCRYPTION"
            + " | fs.s3a.bucket.warehouse.encryption.algorithm",
        "hive.exec.scratchdir          | s3a://warehouse/scratch | SCRATCH_ON_S3"
            + " | hive.exec.scratchdir"
      })
  void theSettingThatIsResponsibleIsNamed(
      String property, String value, String reason, String setting) throws Exception {
    s3.hive().set(property, value);
    Explanation explanation =
        explain("insert overwrite table explain_plain select a from explain_parted").get(0);
    assertThat(explanation.reason()).isEqualTo(reason);
    assertThat(explanation.setting()).contains(setting);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "insert into explain_plain select a from explain_plain | hive.merge.mapfiles",
        "insert into explain_plain select a from explain_plain group by a | hive.merge.mapredfiles"
      })
  void onMapReduceTheSettingDependsOnThePlan(String statement, String setting) throws Exception {
    s3.hive().set("hive.execution.engine", "mr");
    s3.hive().set("hive.merge.mapfiles", "true");
    s3.hive().set("hive.merge.mapredfiles", "true");
    s3.hive().set("hive.stats.column.autogather", "false");
    assertThat(explain(statement).get(0).setting()).contains(setting);
  }

  /** Hive's defaults: the plan gets a reducer for statistics. */
  @Test
  void onMapReduceASettingThatIsOffIsNotNamed() throws Exception {
    s3.hive().set("hive.execution.engine", "mr");
    s3.hive().set("hive.merge.mapfiles", "true");
    s3.hive().set("hive.merge.mapredfiles", "false");
    s3.hive().set("hive.stats.column.autogather", "true");
    assertThat(explain("insert into explain_plain select a from explain_plain").get(0).setting())
        .contains("hive.merge.mapfiles");
  }

  @Test
  void aPropertyOfTheTableIsNamedAndWhereNoneIsResponsibleNone() throws Exception {
    s3.hive()
        .execute(
            "create external table if not exists explain_off (a int) stored as orc location"
                + " 's3a://warehouse/explain_off' tblproperties ('zerorename.enabled'='false')");
    assertThat(explain("insert into explain_off values (1)").get(0).setting())
        .contains("zerorename.enabled");
    assertThat(explain("insert into explain_skewed select * from explain_plain").get(0).setting())
        .isEmpty();
    assertThat(explain("insert into explain_plain values (1)").get(0).setting()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "insert intoo t values (1)       | cannot recognize input near 'insert' 'intoo'",
        "insert into no_such values (1)  | Table not found",
        "no_such                         | Table not found",
        "explain select 1                | without EXPLAIN"
      })
  void whatHiveDoesNotUnderstandIsOneLine(String statement, String message) {
    assertThatThrownBy(() -> explain(statement))
        .isInstanceOf(ExplainFailedException.class)
        .satisfies(
            failure -> assertThat(failure.getMessage()).contains(message).doesNotContain("\n"));
  }

  @Test
  void nothingIsLeftBehindAndNothingWrittenToS3() throws Exception {
    List<Path> filesBefore = files();
    RequestCounts requestsBefore = s3.counts();
    var objectsBefore = s3.bucket().objects("");
    explain("insert overwrite table explain_parted partition (p) select a, a from explain_plain");
    RequestCounts requests = s3.counts().minus(requestsBefore);

    assertThat(s3.bucket().objects("")).isEqualTo(objectsBefore);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(requests.of(RequestType.PUT_OBJECT)).isZero();
    assertThat(files()).isEqualTo(filesBefore);
  }

  @Test
  void withoutMetastoreNoneIsMade() {
    Configuration empty = new Configuration(false);
    empty.set(
        "javax.jdo.option.ConnectionURL", "jdbc:derby:;databaseName=metastore_db;create=true");
    assertThatThrownBy(() -> new StatementExplainer(empty).explain("t"))
        .hasMessageContaining("hive.metastore.uris");
    assertThat(Path.of("metastore_db")).doesNotExist();
  }

  @Test
  void metastoreThatDoesNotAnswerIsNoFaultOfTheStatement() throws Exception {
    Configuration conf = new Configuration(s3.hive().conf());
    try (ServerSocket port = new ServerSocket(0)) {
      conf.set("hive.metastore.uris", "thrift://127.0.0.1:" + port.getLocalPort());
    }
    conf.set("hive.metastore.connect.retries", "1");
    conf.set("hive.metastore.client.connect.retry.delay", "0s");
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    ZeroRename program =
        new ZeroRename(
            () -> conf,
            new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
            new PrintStream(err, true, UTF_8));

    assertThat(onThreadOfItsOwn(() -> program.run("explain", "explain_plain"))).isEqualTo(4);
    assertThat(err.toString(UTF_8)).hasLineCount(1).contains("the metastore does not answer");
  }

  @Test
  void commandPrintsTheVerdictAndTheReason() throws Exception {
    String statement = "insert into explain_skewed select * from explain_plain";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    ZeroRename program =
        new ZeroRename(
            s3.hive()::conf, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));

    assertThat(onThreadOfItsOwn(() -> program.run("explain", "explain_plain"))).isZero();
    assertThat(out.toString(UTF_8)).contains("committer: it is committed without renames");
    assertThat(onThreadOfItsOwn(() -> program.run("explain", statement))).isEqualTo(1);
    assertThat(out.toString(UTF_8))
        .contains("Hive's own rename path: LIST_BUCKETING, the table is")
        .doesNotContain("setting:");
    s3.hive().set("hive.merge.tezfiles", "true");
    assertThat(onThreadOfItsOwn(() -> program.run("explain", "explain_plain"))).isEqualTo(1);
    assertThat(out.toString(UTF_8))
        .contains(System.lineSeparator() + "  setting: hive.merge.tezfiles");
    out.reset();
    assertThat(onThreadOfItsOwn(() -> program.run("explain", "--json", "explain_plain")))
        .isEqualTo(1);
    assertThat(out.toString(UTF_8)).contains("\"setting\" : \"hive.merge.tezfiles\"");
    assertThat(err.toString(UTF_8)).isEmpty();
    assertThat(onThreadOfItsOwn(() -> program.run("explain", "selec 1"))).isEqualTo(2);
    assertThat(err.toString(UTF_8))
        .hasLineCount(1)
        .startsWith(
            "zerorename: ZR-9401: Cannot explain 'selec 1': line 1:0 cannot recognize input near 'selec'");
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> scratch = Files.walk(s3.hive().directory());
        Stream<Path> temporary = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return Stream.concat(
              scratch.filter(path -> !path.toString().contains("/warehouse")),
              temporary.filter(
                  path -> path.getFileName().toString().startsWith("zerorename-explain-")))
          .sorted()
          .toList();
    }
  }

  private List<Explanation> explain(String statement) throws Exception {
    return onThreadOfItsOwn(() -> new StatementExplainer(s3.hive().conf()).explain(statement));
  }

  /** Because the session of the other tests belongs to this one. */
  private static <T> T onThreadOfItsOwn(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    new Thread(task, "explain").start();
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }
}
