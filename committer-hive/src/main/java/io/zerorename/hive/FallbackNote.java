package io.zerorename.hive;

import java.io.Serializable;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.Explain;
import org.apache.hadoop.hive.ql.plan.Explain.Level;
import org.apache.hadoop.hive.ql.plan.api.StageType;

/** A stage in the output of EXPLAIN that says why Hive keeps its own path. It is never run. */
final class FallbackNote extends Task<FallbackNote.Work> {
  private static final long serialVersionUID = 1L;

  /**
   * What EXPLAIN shows of a fallback. It is public only because EXPLAIN reads it by reflection.
   *
   * @param reason the name of the reason
   * @param sentence the reason in words
   */
  @Explain(
      displayName = "Zero-Rename Commit",
      explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
  public record Work(
      @Explain(
              displayName = "not used",
              explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
          String reason,
      @Explain(
              displayName = "because",
              explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
          String sentence)
      implements Serializable {}

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
