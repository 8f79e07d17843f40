package io.zerorename.hive;

import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.api.StageType;

/** A stage in the output of EXPLAIN that says why Hive keeps its own path. It is never run. */
final class FallbackNote extends Task<FallbackNoteWork> {
  private static final long serialVersionUID = 1L;

  @Override
  public StageType getType() {
    return StageType.EXPLAIN;
  }

  @Override
  public String getName() {
    return "ZERO-RENAME-FALLBACK";
  }

  @Override
  public int execute() {
    throw new IllegalStateException("This stage is only shown; please report how it came to run.");
  }
}
