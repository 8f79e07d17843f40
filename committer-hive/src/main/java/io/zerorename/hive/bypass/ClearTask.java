package io.zerorename.hive.bypass;

import io.zerorename.hive.commit.StatementTask;
import io.zerorename.hive.plan.PlanTasks;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.exec.Task;

/**
 * The last task of a statement that removes files on Hive's own path: reads the logs again, and
 * writes the entries that are needed. A hook in its place could not fail the statement.
 */
final class ClearTask extends StatementTask<String> {
  private static final long serialVersionUID = 1L;

  private final transient BypassingStatement statement;

  private ClearTask(BypassingStatement statement) {
    super("ZERO-RENAME-CLEAR");
    this.statement = statement;
    // Hive's counter of stages is for the thread that compiles, which this one may not be.
    setId("Stage-CLEAR");
    setWork(getName());
  }

  /** Adds the task behind all others. EXPLAIN, which shows the compiled plan, does not show it. */
  static ClearTask addTo(QueryPlan plan, BypassingStatement statement) {
    ClearTask task = new ClearTask(statement);
    for (Task<?> leaf : PlanTasks.leaves(List.copyOf(plan.getRootTasks()))) {
      leaf.addDependentTask(task);
    }
    return task;
  }

  /** Leaves the plan as it was, because a prepared statement may run it again. */
  void removeFromPlan() {
    if (getParentTasks() != null) {
      for (Task<?> leaf : List.copyOf(getParentTasks())) {
        leaf.removeDependentTask(this);
      }
    }
  }

  @Override
  public int execute() {
    if (context != null && context.getExplainAnalyze() != null) {
      // EXPLAIN ANALYZE moves nothing.
      return 0;
    }
    try {
      statement.end();
      return 0;
    } catch (IOException | RuntimeException e) {
      console.printError("zero-rename: " + e.getMessage());
      setException(e);
      return 1;
    }
  }
}
