package io.zerorename.hive;

import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.plan.PlanTasks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.exec.Task;

/** The tasks of a statement whose rows are there already, because its run was committed before. */
final class SparedTasks {
  private SparedTasks() {}

  /**
   * Leaves a plan the commits and what is behind them, where all of them are repeated and the plan
   * does nothing else. To be called before Hive takes the tasks from the plan.
   */
  static void leaveOut(QueryPlan plan, Collection<CommitTask> commits) {
    if (commits.isEmpty() || !commits.stream().allMatch(CommitTask::isRepeated)) {
      return;
    }
    List<Task<?>> kept = PlanTasks.all(List.copyOf(commits));
    if (!kept.containsAll(PlanTasks.leaves(List.copyOf(plan.getRootTasks())))) {
      return;
    }
    for (Task<?> task : kept) {
      List<Task<?>> parents = new ArrayList<>(task.getParentTasks());
      parents.retainAll(kept);
      task.setParentTasks(parents);
    }
    commits.forEach(CommitTask::runsAlone);
    plan.setRootTasks(
        new ArrayList<>(kept.stream().filter(task -> task.getParentTasks().isEmpty()).toList()));
  }
}
