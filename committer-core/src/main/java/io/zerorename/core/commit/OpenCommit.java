package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitPlan;
import java.util.List;

/**
 * A commit whose files are all in place, and which its engine has to bring to its end by {@link
 * CommitLog#finish}.
 */
public final class OpenCommit {
  private final CommitPlan plan;
  private final List<String> records;

  /**
   * @param records that only an open commit needs
   */
  OpenCommit(CommitPlan plan, List<String> records) {
    this.plan = requireNonNull(plan, "plan");
    this.records = List.copyOf(records);
  }

  /** What was carried out. */
  public CommitPlan plan() {
    return plan;
  }

  List<String> records() {
    return records;
  }
}
