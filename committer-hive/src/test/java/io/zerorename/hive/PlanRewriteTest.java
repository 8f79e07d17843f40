package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.commit.CommittedMoveTask;
import io.zerorename.hive.commit.CommittedStatsTask;
import io.zerorename.hive.fallback.Eligibility;
import io.zerorename.hive.plan.PlanReader;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.PlannedOutput;
import io.zerorename.hive.write.PendingOutputFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc.LoadFileType;
import org.junit.jupiter.api.Test;

/** The tasks of a rewritten INSERT: which waits for which, and what each does. */
class PlanRewriteTest {
  private static final Map<String, String> OF_JOBS = Map.of("of.jobs", "value");
  private static final Path WORK = new Path("file:/tmp/work");

  @Test
  void commitIsBetweenWhatWritesAndTheMove() throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    rewrite(plan, false);

    CommitTask commit = onlyChild(plan.writer(), CommitTask.class);
    assertThat(commit.getParentTasks()).containsExactly(plan.writer());
    assertThat(commit.getChildTasks()).containsExactly(plan.target().move());
    assertThat(plan.target().move().getParentTasks()).containsExactly(commit);
    CommittedStatsTask statistics = onlyChild(plan.target().move(), CommittedStatsTask.class);
    assertThat(statistics.getWork()).isSameAs(plan.target().statistics().getWork());
  }

  @Test
  void tasksWritePendingFilesAndTheMoveMovesNothing() throws Exception {
    InsertPlan plan = InsertPlan.intoTable().overwriting();
    LoadTableDesc original = plan.target().load();
    Path staging = plan.target().desc().getDirName();
    rewrite(plan, false);

    assertThat(plan.target().desc().getTableInfo().getOutputFileFormatClass())
        .isEqualTo(PendingOutputFormat.class);
    assertThat(plan.target().desc().getTableInfo().getJobProperties()).isEqualTo(OF_JOBS);
    assertThat(plan.target().desc().getDirName())
        .isEqualTo(new Path("file:/tmp/staging/0/-ext-10000"));
    assertThat(plan.target().load().getLoadFileType()).isEqualTo(LoadFileType.IGNORE);
    assertThat(plan.target().load().isInsertOverwrite()).isTrue();
    assertThat(plan.target().load().getSourcePath()).as("for the lineage").isEqualTo(staging);
    assertThat(original.getLoadFileType())
        .as("of what prepared statements share")
        .isEqualTo(LoadFileType.KEEP_EXISTING);
    assertThat(original.getTable().getOutputFileFormatClass()).isEqualTo(OrcOutputFormat.class);
    assertThat(original.getTable().getJobProperties()).isNullOrEmpty();
  }

  @Test
  void planStaysAsItIsUntilAllIsComputed() throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    LoadTableDesc load = plan.target().load();
    TaskOrder order = new TaskOrder();
    rewrites(plan, false).forEach(it -> it.order(order));

    assertThat(plan.writer().getChildTasks()).containsExactly(plan.target().move());
    assertThat(plan.target().move().getChildTasks()).containsExactly(plan.target().statistics());
    assertThat(plan.target().load()).isSameAs(load);
  }

  /** A target's metastore and statistics are done before the next commit. */
  @Test
  void commitOfTheNextTargetWaitsForTheStatisticsOfTheFirst() throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    InsertPlan.Target second = plan.add(plan.table("u"), new Path("s3a://bucket/u"), Map.of());
    rewrite(plan, false);

    CommittedStatsTask statistics = onlyChild(plan.target().move(), CommittedStatsTask.class);
    CommitTask next = onlyChild(statistics, CommitTask.class);
    assertThat(next.getChildTasks()).containsExactly(second.move());
    assertThat(next.getParentTasks()).containsExactlyInAnyOrder(plan.writer(), statistics);
  }

  @Test
  void moveSendsEventsWhereTheMetastoreHasListeners() throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    rewrite(plan, true);

    CommitTask commit = onlyChild(plan.writer(), CommitTask.class);
    CommittedMoveTask move = onlyChild(commit, CommittedMoveTask.class);
    onlyChild(move, CommittedStatsTask.class);
    assertThat(move.getWork()).isSameAs(plan.target().move().getWork());
  }

  @Test
  void statisticsReceiveThePartitionsThatTheRowsHaveChosen() throws Exception {
    InsertPlan plan = InsertPlan.intoDynamicPartitions();
    plan.target().move().setFeedSubscribers(new ArrayList<>(List.of(plan.target().statistics())));
    rewrite(plan, false);

    assertThat(plan.target().move().getFeedSubscribers())
        .containsExactly(onlyChild(plan.target().move(), CommittedStatsTask.class));
    assertThat(plan.target().desc().getInsertOverwrite())
        .as("keeps writers from looking on S3 which partitions are new")
        .isTrue();
  }

  private static <T> T onlyChild(Task<?> task, Class<T> type) {
    assertThat(task.getChildTasks()).hasSize(1);
    assertThat(task.getChildTasks().get(0)).isInstanceOf(type);
    return type.cast(task.getChildTasks().get(0));
  }

  /** As {@link StatementRewrite} does. */
  private static void rewrite(InsertPlan plan, boolean sendsEvents) throws Exception {
    TaskOrder order = new TaskOrder();
    List<PlanRewrite> rewrites = rewrites(plan, sendsEvents);
    rewrites.forEach(it -> it.order(order));
    for (int i = 1; i < rewrites.size(); i++) {
      rewrites.get(i).follow(rewrites.get(i - 1), order);
    }
    order.apply();
    rewrites.forEach(rewrite -> rewrite.apply(OF_JOBS));
  }

  private static List<PlanRewrite> rewrites(InsertPlan plan, boolean sendsEvents) throws Exception {
    PlanReader read = plan.read();
    List<PlanRewrite> rewrites = new ArrayList<>();
    for (PlannedOutput output : read.outputs()) {
      PlannedInsert insert =
          new Eligibility(plan.statement(), read, output, plan.conf(), plan.hive()).check();
      rewrites.add(
          new PlanRewrite(
              insert,
              "job" + rewrites.size(),
              new Path("file:/tmp/staging/" + rewrites.size()),
              WORK,
              false,
              sendsEvents));
    }
    return rewrites;
  }
}
