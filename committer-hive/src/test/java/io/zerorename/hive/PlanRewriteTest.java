package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.commit.CommittedMoveTask;
import io.zerorename.hive.commit.CommittedStatsTask;
import io.zerorename.hive.fallback.Eligibility;
import io.zerorename.hive.plan.PlanReader;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.PlannedOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.Task;
import org.junit.jupiter.api.Test;

/** The tasks of a rewritten INSERT: which waits for which, and what each does. */
class PlanRewriteTest {
  private static final Map<String, String> OF_JOBS = Map.of("of.jobs", "value");
  private static final Path WORK = new Path("file:/tmp/work");

  @Test
  void commitIsBetweenWhatWritesAndTheMove() throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    rewrite(plan);

    CommitTask commit = onlyChild(plan.writer(), CommitTask.class);
    assertThat(commit.getParentTasks()).containsExactly(plan.writer());
    CommittedMoveTask move = onlyChild(commit, CommittedMoveTask.class);
    assertThat(move.getParentTasks()).containsExactly(commit);
    assertThat(move.getId()).isEqualTo(plan.target().move().getId());
    assertThat(move.getWork()).isSameAs(plan.target().move().getWork());
    CommittedStatsTask statistics = onlyChild(move, CommittedStatsTask.class);
    assertThat(statistics.getWork()).isSameAs(plan.target().statistics().getWork());
  }

  /** A target's metastore and statistics are done before the next commit. */
  @Test
  void commitOfTheNextTargetWaitsForTheStatisticsOfTheFirst() throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    InsertPlan.Target second = plan.add(plan.table("u"), new Path("s3a://bucket/u"));
    rewrite(plan);

    CommittedMoveTask move =
        onlyChild(plan.writer().getChildTasks().get(0), CommittedMoveTask.class);
    CommittedStatsTask statistics = onlyChild(move, CommittedStatsTask.class);
    CommitTask next = onlyChild(statistics, CommitTask.class);
    assertThat(onlyChild(next, CommittedMoveTask.class).getWork())
        .isSameAs(second.move().getWork());
    assertThat(next.getParentTasks()).containsExactlyInAnyOrder(plan.writer(), statistics);
  }

  private static <T> T onlyChild(Task<?> task, Class<T> type) {
    assertThat(task.getChildTasks()).hasSize(1);
    assertThat(task.getChildTasks().get(0)).isInstanceOf(type);
    return type.cast(task.getChildTasks().get(0));
  }

  /** As {@link StatementRewrite} does. */
  private static void rewrite(InsertPlan plan) throws Exception {
    List<PlanRewrite> rewrites = rewrites(plan);
    rewrites.forEach(rewrite -> rewrite.apply(OF_JOBS));
    for (int i = 1; i < rewrites.size(); i++) {
      rewrites.get(i).follow(rewrites.get(i - 1));
    }
  }

  private static List<PlanRewrite> rewrites(InsertPlan plan) throws Exception {
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
              false));
    }
    return rewrites;
  }
}
