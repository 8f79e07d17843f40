package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import org.apache.hadoop.hive.ql.plan.Explain;
import org.apache.hadoop.hive.ql.plan.Explain.Level;

/** What EXPLAIN shows of a fallback. It is public only because EXPLAIN reads it by reflection. */
@Explain(
    displayName = "Zero-Rename Commit",
    explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
public final class FallbackNoteWork implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final String sentence;

  FallbackNoteWork(String reason, String sentence) {
    this.reason = requireNonNull(reason, "reason");
    this.sentence = requireNonNull(sentence, "sentence");
  }

  /** The name of the reason. */
  @Explain(
      displayName = "not used",
      explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
  public String getReason() {
    return reason;
  }

  /** The reason in a person's words. */
  @Explain(
      displayName = "because",
      explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
  public String getSentence() {
    return sentence;
  }
}
