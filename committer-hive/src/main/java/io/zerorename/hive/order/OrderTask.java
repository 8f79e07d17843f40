package io.zerorename.hive.order;

import java.io.IOException;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.api.StageType;

/**
 * Runs last in a statement of Hive's own path, and gives it its place in the commit logs. Such a
 * task, and no hook: a failure must fail the statement.
 */
final class OrderTask extends Task<OrderWork> {
  private static final long serialVersionUID = 1L;

  @Override
  public StageType getType() {
    return StageType.MOVE;
  }

  @Override
  public String getName() {
    return "ZERO-RENAME-ORDER";
  }

  @Override
  public boolean canExecuteInParallel() {
    return false;
  }

  @Override
  public int execute() {
    if (context != null && context.getExplainAnalyze() != null) {
      // EXPLAIN ANALYZE moves nothing.
      return 0;
    }
    try {
      work.order().end();
      return 0;
    } catch (IOException | RuntimeException e) {
      console.printError("zero-rename: " + e.getMessage());
      setException(e);
      return 1;
    }
  }
}
