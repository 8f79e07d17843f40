package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.zerorename.hive.plan.PlanTasks;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.util.List;
import java.util.SortedMap;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.parse.AbstractSemanticAnalyzerHook;
import org.apache.hadoop.hive.ql.parse.HiveSemanticAnalyzerHookContext;
import org.apache.hadoop.hive.ql.plan.ConditionalResolverMergeFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** INSERTs whose small files Hive merges, with {@code zerorename.hive.merge} = commit. */
class MergeTest {
  private static final String JOIN =
      "insert overwrite table %s partition (p) select l.a, r.p from merge_rows l"
          + " join merge_rows r on l.p = r.p";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void merging() throws Exception {
    s3.hive().set("hive.merge.tezfiles", "true");
    s3.hive().set("hive.merge.mapfiles", "true");
    s3.hive().set("hive.merge.mapredfiles", "true");
    // Three files of each table and partition whose rows are spread by a.
    s3.hive().set("mapreduce.job.reduces", "3");
    s3.hive().set("zerorename.hive.merge", "commit");
    s3.hive().execute("create table if not exists merge_rows (a int, p int)");
    if (s3.hive().execute("select * from merge_rows").isEmpty()) {
      s3.withoutCommitter();
      // Partition 9 has one row, so one file, which is not merged.
      s3.hive().execute("insert into merge_rows values (1,1),(2,1),(3,1),(4,2),(5,2),(6,2),(7,9)");
    }
    s3.withCommitter();
  }

  @Test
  void rowsFilesAndStatisticsAreThoseOfHive() throws Exception {
    TwinTables twins =
        TwinTables.create(s3, "merge_once", "(a int) partitioned by (p int) stored as orc");
    twins.insert(
        "insert overwrite table %s partition (p) select a, p from merge_rows distribute by a");
    assertMerged(twins);
  }

  /** Merged, and left as it is. */
  private void assertMerged(TwinTables twins) {
    assertThat(s3.bucket().files(twins.ours() + "/p=1/")).hasSize(1);
    assertThat(s3.bucket().files(twins.ours() + "/p=9/")).hasSize(1);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"tez,parquet", "mr,orc", "mr,textfile"})
  void allKindsOfStatements(String engine, String format) throws Exception {
    s3.hive().set("hive.execution.engine", engine);
    TwinTables plain =
        TwinTables.create(s3, "merge_plain_" + engine + format, "(a int) stored as " + format);
    plain.insert("insert into %s select a from merge_rows distribute by a");
    plain.insert("insert overwrite table %s select a from merge_rows distribute by a");
    TwinTables twins =
        TwinTables.create(
            s3,
            "merge_kinds_" + engine + format,
            "(a int) partitioned by (p int) stored as " + format);
    twins.insert(
        "insert overwrite table %s partition (p) select a, p from merge_rows distribute by a");
    assertMerged(twins);
    twins.insert(
        "insert into %s partition (p) select a, p from merge_rows where a > 100 distribute by a");
    twins.insert(
        "insert into %s partition (p) select * from (select a, p from merge_rows"
            + " union all select a + 10, p from merge_rows) u");
    twins.insert(
        "from merge_rows insert overwrite table %s partition (p=1) select a where a < 4"
            + " insert into table %s partition (p=20) select a where a > 3 distribute by a");
    twins.insert(
        "insert overwrite table %s partition (p=20) select a from merge_rows where a > 100 distribute by a");
    String target = "s3a://" + HiveOnS3.BUCKET + "/merge_dir_" + engine + format;
    RequestCounts before = s3.counts();
    s3.hive()
        .execute(
            "insert overwrite directory '" + target + "' select a from merge_rows distribute by a");
    String ctas = "merge_ctas_" + engine + format;
    s3.hive()
        .execute(
            "create external table %s stored as %s location 's3a://%s/%s' as select a from merge_rows distribute by a"
                .formatted(ctas, format, HiveOnS3.BUCKET, ctas));
    assertThat(s3.counts().minus(before).copies()).isZero();
    assertThat(s3.hive().console()).contains("zero-rename: committed");
    assertThat(s3.bucket().files("merge_dir_" + engine + format + "/")).hasSize(1);
    assertThat(s3.bucket().files(ctas + "/")).hasSize(1);
    assertThat(s3.hive().execute("select count(*) from " + ctas)).containsExactly("7");
  }

  @Tag("thorough")
  @Test
  void joinThatIsResolvedAtRunTime() throws Exception {
    s3.hive().set("hive.execution.engine", "mr");
    s3.hive().set("hive.auto.convert.join", "true");
    s3.hive().set("hive.auto.convert.join.noconditionaltask", "false");
    TwinTables twins = partitioned("merge_join");
    twins.insert(JOIN);
    assertThat(s3.hive().execute("explain " + JOIN.replace("%s", twins.ours())))
        .anyMatch(line -> line.contains("Conditional Operator"));
  }

  /** Hive takes the tasks behind it out of their order. */
  @Test
  void skewJoinKeepsHivesOwnPath() throws Exception {
    s3.hive().set("hive.execution.engine", "mr");
    s3.hive().set("hive.auto.convert.join", "false");
    s3.hive().set("hive.optimize.skewjoin", "true");
    TwinTables twins = partitioned("merge_skew");
    s3.hive().compile(JOIN.replace("%s", twins.ours()));
    assertThat(s3.hive().console())
        .contains("CONDITIONAL_TASK", "(and hive.optimize.skewjoin is true)");
  }

  private TwinTables partitioned(String name) throws Exception {
    return TwinTables.create(s3, name, "(a int) partitioned by (p int) stored as orc");
  }

  /** Hive takes the names of the levels above the last as they are. */
  @Tag("thorough")
  @Test
  void columnsWhoseNamesBeginWithAnUnderscore() throws Exception {
    TwinTables twins =
        TwinTables.create(
            s3, "merge_hidden", "(a int) partitioned by (`_y` int, m int) stored as orc");
    twins.insert(
        "insert into %s partition (`_y`, m) select a, p, p from merge_rows distribute by a");
    assertThat(s3.hive().execute("select count(*) from " + twins.ours())).containsExactly("7");
  }

  /** Hive moves no partition from the sinks' directory whose name it takes for a hidden one. */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {"tez", "mr"})
  void rowsOfWhichHiveLeavesNoFileAreNotTakenForNone(String engine) throws Exception {
    String table = "merge_lost_" + engine;
    s3.hive().set("hive.execution.engine", engine);
    s3.hive().set("hive.stats.autogather", "false");
    s3.create(table, "(a int) partitioned by (m int, `_y` int) stored as orc");
    String insert = "insert into " + table + " partition (m, `_y`) select a, p, p from merge_rows";

    s3.hive().execute(insert + " where a > 100 distribute by a");

    assertThat(s3.hive().console()).contains("zero-rename: committed", " 0 files");
    assertThatThrownBy(() -> s3.hive().execute(insert + " distribute by a"))
        .hasStackTraceContaining("ZR-5249: INSERT INTO default." + table + " was not committed");
    assertThat(s3.hive().console()).contains("ZR-5218");
  }

  /** As where the scratch file system does not answer it. */
  @Test
  void statementFailsWhereHiveChoosesNeitherToMergeNorToMove() throws Exception {
    s3.create("merge_undecided", "(a int) stored as orc");
    s3.hive()
        .set(
            "hive.semantic.analyzer.hook",
            Undecided.class.getName() + "," + ZeroRenameHook.class.getName());

    assertThatThrownBy(
            () -> s3.hive().execute("insert into merge_undecided select a from merge_rows"))
        .hasStackTraceContaining(
            "ZR-5250: Hive has chosen neither to merge nor to move the files of the statement that"
                + " writes to default.merge_undecided;");

    assertThat(s3.hive().console()).contains("ZR-5218");
  }

  /** For Hive. */
  public static final class Undecided extends AbstractSemanticAnalyzerHook {
    @Override
    public void postAnalyze(HiveSemanticAnalyzerHookContext context, List<Task<?>> rootTasks) {
      PlanTasks.all(rootTasks).stream()
          .filter(ConditionalTask.class::isInstance)
          .forEach(task -> ((ConditionalTask) task).setResolver(new None()));
    }
  }

  /** The answer of Hive's own where assertions are off. */
  private static final class None extends ConditionalResolverMergeFiles {
    private static final long serialVersionUID = 1L;

    @Override
    public List<Task<?>> getTasks(HiveConf conf, Object context) {
      return List.of();
    }
  }

  @Test
  void failedUploadLeavesNothing() throws Exception {
    s3.create("merge_failed", "(a int) stored as orc");
    s3.hive().execute("insert into merge_failed values (1)");
    SortedMap<String, Long> before = s3.bucket().objects("merge_failed/");
    s3.hive().set("zerorename.inline.max.bytes", "0");
    s3.faults(always(typeUnder(RequestType.UPLOAD_PART, "merge_failed/"), Fault.accessDenied()));

    String message =
        catchThrowable(
                () ->
                    s3.hive()
                        .execute(
                            "insert overwrite table merge_failed select a from merge_rows distribute by a"))
            .getMessage();

    s3.faults(FaultRule.NONE);
    assertThat(message).contains("merge_failed");
    assertThat(s3.bucket().objects("merge_failed/")).isEqualTo(before);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** The setting is the session's again, whether the statement could be compiled or not. */
  @Test
  void settingsOfTheSessionStay() throws Exception {
    s3.hive()
        .execute(
            "insert overwrite directory 's3a://"
                + HiveOnS3.BUCKET
                + "/merge_settings' select a from merge_rows");
    s3.failure("insert into no_such_table select a from merge_rows");
    assertThat(s3.hive().conf().getBoolVar(ConfVars.HIVE_USE_SCRATCHDIR_FOR_STAGING)).isFalse();
  }

  /** Hive compiles and runs the statement within the compilation of the EXPLAIN. */
  @Tag("thorough")
  @Test
  void explainAnalyzeShowsTheCommitAndLeavesNothing() throws Exception {
    TwinTables twins = partitioned("merge_explained");
    SortedMap<String, Long> before = s3.bucket().objects("");

    String plan =
        String.join(
            "\n",
            s3.hive()
                .execute(
                    "explain analyze insert overwrite table "
                        + twins.ours()
                        + " partition (p) select a, p from merge_rows distribute by a"));

    assertThat(plan).contains("Zero-Rename Commit", "rows=7/7").doesNotContain("CONDITIONAL_TASK");
    assertThat(s3.hive().console()).doesNotContain("zero-rename");
    assertThat(s3.bucket().objects("")).isEqualTo(before);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.hive().conf().getBoolVar(ConfVars.HIVE_USE_SCRATCHDIR_FOR_STAGING)).isFalse();
  }
}
