package io.zerorename.hive.commit;

import java.io.Serializable;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.api.StageType;

/** A task of the committer's own, which Hive runs as the one that moves files. */
public abstract class StatementTask<T extends Serializable> extends Task<T> {
  private static final long serialVersionUID = 1L;

  private final String name;

  /**
   * @param name in EXPLAIN and in logs
   */
  protected StatementTask(String name) {
    this.name = name;
  }

  @Override
  public final StageType getType() {
    return StageType.MOVE;
  }

  @Override
  public final String getName() {
    return name;
  }

  /** Hive does not wait for parallel tasks when a query is cancelled, but ends it beside them. */
  @Override
  public final boolean canExecuteInParallel() {
    return false;
  }
}
