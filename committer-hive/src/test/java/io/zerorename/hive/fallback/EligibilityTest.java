package io.zerorename.hive.fallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.hive.InsertPlan;
import io.zerorename.hive.plan.PlanReader;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.Statement;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.io.HiveNullValueSequenceFileOutputFormat;
import org.apache.hadoop.hive.ql.plan.ListBucketingCtx;
import org.apache.hadoop.hive.ql.plan.LoadFileDesc;
import org.apache.hadoop.hive.ql.plan.TableDesc;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule by which an INSERT falls back: one change to an INSERT that is eligible without it. */
@SuppressWarnings("ImmutableEnumChecker") // A change keeps no state.
class EligibilityTest {
  private static final String COMMIT_DIR = "zerorename.commit.dir";

  /** Changes a plan or its session. */
  private interface Change {
    void to(InsertPlan plan) throws Exception;
  }

  /** Rules, each a change to an INSERT INTO a table without partitions. */
  private enum Rule {
    SWITCHED_OFF(FallbackReason.DISABLED, it -> it.conf().set("zerorename.hive.enabled", "false")),
    BAD_SWITCH(
        FallbackReason.BAD_CONFIGURATION, it -> it.conf().set("zerorename.hive.enabled", "off")),
    SWITCHED_OFF_FOR_THE_BUCKET(
        FallbackReason.DISABLED,
        it -> it.conf().set("zerorename.bucket.bucket.hive.enabled", "false")),
    BAD_SETTING_OF_THE_BUCKET(
        FallbackReason.BAD_CONFIGURATION,
        it -> it.conf().set("zerorename.bucket.bucket.commit.threads", "-3")),
    TABLE_SWITCHED_OFF(
        FallbackReason.DISABLED,
        it -> it.target().table().setProperty("zerorename.enabled", "false")),
    OTHER_STATEMENT(FallbackReason.STATEMENT, it -> it.statement(Statement.OTHER)),
    PREPARED_STATEMENT(FallbackReason.STATEMENT, it -> it.statement(Statement.EXECUTE)),
    NO_LIFETIME_HOOK(
        FallbackReason.LIFETIME_HOOK_MISSING,
        it -> it.conf().setVar(ConfVars.HIVE_QUERY_LIFETIME_HOOKS, "some.OtherHook")),
    OTHER_ENGINE(FallbackReason.ENGINE, it -> it.conf().set("hive.execution.engine", "spark")),
    LLAP(FallbackReason.ENGINE, it -> it.conf().set("hive.execution.mode", "LLAP")),
    STORAGE_HANDLER(
        FallbackReason.STORAGE_HANDLER,
        it -> it.target().table().setProperty("storage_handler", "some.Handler")),
    CONDITIONAL_TASK(
        FallbackReason.CONDITIONAL_TASK,
        it -> it.target().statistics().addDependentTask(withId(new ConditionalTask()))),
    UNION_IN_JOBS_OF_MAPREDUCE(
        FallbackReason.UNION,
        it -> {
          it.makeBranch();
          it.writeByMapReduce();
        }),
    SINKS_OF_ONE_DIRECTORY(FallbackReason.PLAN_SHAPE, it -> it.addSink(it.target().desc())),
    NO_MOVE(FallbackReason.PLAN_SHAPE, it -> it.writer().removeDependentTask(it.target().move())),
    MOVE_THAT_ALSO_WAITS_FOR_ANOTHER(
        FallbackReason.PLAN_SHAPE,
        it -> {
          StatsTask other = withId(new StatsTask());
          it.writer().addDependentTask(other);
          other.addDependentTask(it.target().move());
        }),
    OVERLAPPING_TARGETS(
        FallbackReason.MULTI_INSERT, it -> it.add(it.table("u"), new Path("s3a://bucket/t/below"))),
    WHOLE_BUCKET(
        FallbackReason.STATEMENT,
        it -> {
          it.target().desc().setTable(null);
          it.target().move().getWork().setLoadTableWork(null);
          it.target()
              .move()
              .getWork()
              .setLoadFileWork(
                  new LoadFileDesc(
                      it.target().desc().getDirName(),
                      new Path("s3a://bucket/"),
                      true,
                      "",
                      "",
                      false));
        }),
    BRANCHES_INTO_BUCKETS(
        FallbackReason.PLAN_SHAPE,
        it -> {
          it.target().table().setNumBuckets(2);
          it.makeBranch();
        }),
    DIRECT_INSERT(FallbackReason.ACID, it -> it.target().desc().setIsDirectInsert(true)),
    ACID_WRITE(
        FallbackReason.ACID, it -> it.target().desc().setWriteType(AcidUtils.Operation.INSERT)),
    INSERT_ONLY_TABLE(
        FallbackReason.ACID,
        it -> {
          it.target().table().setProperty("transactional", "true");
          it.target().table().setProperty("transactional_properties", "insert_only");
        }),
    TEMPORARY_TABLE(FallbackReason.TEMPORARY_TABLE, it -> it.target().desc().setTemporary(true)),
    MATERIALIZED_VIEW(
        FallbackReason.MATERIALIZED_VIEW, it -> it.target().desc().setMaterialization(true)),
    LIST_BUCKETING(
        FallbackReason.LIST_BUCKETING,
        it -> {
          ListBucketingCtx skewed = new ListBucketingCtx();
          skewed.setSkewedColNames(List.of("a"));
          skewed.setSkewedColValues(List.of(List.of("1")));
          skewed.setStoredAsSubDirectories(true);
          it.target().desc().setLbCtx(skewed);
        }),
    FORMAT(
        FallbackReason.FORMAT,
        it -> {
          TableDesc described = it.target().desc().getTableInfo();
          described.setOutputFileFormatClass(HiveNullValueSequenceFileOutputFormat.class);
        }),
    SCRATCH_ON_S3(
        FallbackReason.SCRATCH_ON_S3,
        it -> it.conf().setVar(ConfVars.SCRATCH_DIR, "s3a://bucket/scratch")),
    WORK_DIRECTORY_ON_S3(
        FallbackReason.BAD_CONFIGURATION,
        it -> it.conf().set("zerorename.work.dir", "s3a://bucket/work")),
    CLIENT_SIDE_ENCRYPTION(
        FallbackReason.CLIENT_SIDE_ENCRYPTION,
        it -> it.conf().set("fs.s3a.bucket.bucket.encryption.algorithm", "CSE-KMS")),
    NO_MULTIPART_UPLOADS(
        FallbackReason.MULTIPART_OFF,
        it -> it.conf().set("fs.s3a.bucket.bucket.multipart.uploads.enabled", "false")),
    TABLE_ELSEWHERE(
        FallbackReason.PLAN_SHAPE,
        it -> it.target().table().setDataLocation(new Path("s3a://bucket/moved"))),
    LOCATION_THAT_ROWS_OF_ANOTHER_TARGET_CHOOSE(
        FallbackReason.CUSTOM_PARTITION_LOCATION,
        it -> {
          it.target().table().setPartCols(List.of(new FieldSchema("p", "int", "")));
          it.partitionsAt("s3a://bucket/elsewhere");
          it.makeDynamic(it.add(it.target().table(), new Path("s3a://bucket/other")));
        }),
    TABLE_NOT_ON_S3(
        FallbackReason.CUSTOM_PARTITION_LOCATION,
        it -> it.target().table().setDataLocation(new Path("file:/t"))),
    TRASH(FallbackReason.TRASH, it -> it.overwriting().conf().set("fs.trash.interval", "0.5")),
    REPLICATION(
        FallbackReason.REPLICATION,
        it -> it.overwriting().conf().setBoolVar(ConfVars.REPL_CM_ENABLED, true)),
    RECORDS_IN_THE_TABLE(
        FallbackReason.COMMIT_RECORDS,
        it -> it.overwriting().conf().set(COMMIT_DIR, "s3a://bucket/t/records")),
    LOCATION_OF_ITS_OWN(
        FallbackReason.CUSTOM_PARTITION_LOCATION,
        it -> it.choosingPartitions().partitionsAt("s3a://bucket/t/p=0", "s3a://bucket/elsewhere")),
    RECORDS_IN_A_LOCATION_THAT_IS_OVERWRITTEN(
        FallbackReason.COMMIT_RECORDS,
        it -> {
          it.choosingPartitions().partitionsAt("s3a://bucket/elsewhere");
          it.overwriting().conf().set(COMMIT_DIR, "s3a://bucket/elsewhere/records");
        });

    private final FallbackReason reason;
    private final Change change;

    Rule(FallbackReason reason, Change change) {
      this.reason = reason;
      this.change = change;
    }
  }

  /** Changes that are close to a rule, and leave the INSERT eligible. */
  private enum Eligible {
    PLAIN(it -> {}),
    OVERWRITE(InsertPlan::overwriting),
    MAPREDUCE(it -> it.conf().set("hive.execution.engine", "mr")),
    WHAT_THE_BUCKET_ALLOWS(
        it -> {
          it.overwriting().conf().set("zerorename.hive.enabled", "false");
          it.conf().set("zerorename.bucket.bucket.hive.enabled", "true");
          it.conf().set("fs.s3a.encryption.algorithm", "CSE-KMS");
          it.conf().set("fs.s3a.bucket.bucket.encryption.algorithm", "AES256");
          it.conf().set("fs.trash.interval", "60");
          it.conf().set("zerorename.bucket.bucket.hive.trash", "delete");
        }),
    LLAP_WITH_THE_JAR(
        it -> {
          it.conf().set("hive.execution.mode", "llap");
          it.conf().set("zerorename.hive.llap", "commit");
        }),
    SEVERAL_HOOKS(
        it ->
            it.conf()
                .set(
                    "hive.query.lifetime.hooks",
                    "some.OtherHook, io.zerorename.hive.ZeroRenameHook")),
    TRASH_WITHOUT_OVERWRITE(it -> it.conf().set("fs.trash.interval", "60")),
    TRASH_OF_A_PURGED_TABLE(
        it -> {
          it.overwriting().conf().set("fs.trash.interval", "60");
          it.target().table().setProperty("auto.purge", "true");
        }),
    HIDDEN_RECORDS(it -> it.overwriting().conf().set(COMMIT_DIR, "s3a://bucket/t/_records")),
    RECORDS_WITHOUT_OVERWRITE(it -> it.conf().set(COMMIT_DIR, "s3a://bucket/t/records")),
    OTHER_TARGET(it -> it.add(it.table("u"), new Path("s3a://bucket/u"))),
    PARTITIONS_AT_THEIR_PLACES(
        it -> it.choosingPartitions().partitionsAt("s3a://bucket/t/p=0", "s3a://bucket/t/p=1"));

    private final Change change;

    Eligible(Change change) {
      this.change = change;
    }
  }

  @ParameterizedTest
  @EnumSource
  void eligible(Eligible it) throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    it.change.to(plan);
    assertThat(check(plan).target().name()).isEqualTo("default.t");
  }

  @ParameterizedTest
  @EnumSource
  void insertFallsBack(Rule rule) throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    rule.change.to(plan);
    assertThatThrownBy(() -> check(plan))
        .isInstanceOfSatisfying(
            Fallback.class, it -> assertThat(it.reason()).isEqualTo(rule.reason));
  }

  @Test
  void eachReasonOfARuleHasACase() {
    List<FallbackReason> covered = Arrays.stream(Rule.values()).map(it -> it.reason).toList();
    assertThat(FallbackReason.values())
        .filteredOn(it -> !covered.contains(it))
        .as("without a rule: something unexpected")
        .containsExactly(
            FallbackReason.HIVE_VERSION, FallbackReason.HADOOP_VERSION, FallbackReason.INTERNAL);
  }

  private static PlannedInsert check(InsertPlan plan) throws Exception {
    PlanReader read = plan.read();
    return new Eligibility(plan.statement(), read, plan.output(read), plan.conf(), plan.hive())
        .check();
  }

  private static <T extends Task<?>> T withId(T task) {
    task.setId("Stage-99");
    return task;
  }
}
