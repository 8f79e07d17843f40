package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import io.zerorename.hive.fallback.FallbackReason;
import java.util.Optional;

/**
 * How a statement would be run.
 *
 * @param statement what was compiled
 * @param verdict who would write its output
 * @param target the table or directory it writes to, or "" where it writes to none on S3
 * @param reason the name of the {@link FallbackReason}, or {@link #NOT_INSTALLED}; "" where the
 *     committer would be used, or has nothing to do with it
 * @param text a sentence for a person, with what to change
 * @param setting the one property that is responsible for Hive's own path, if there is one
 */
public record Explanation(
    String statement,
    Verdict verdict,
    String target,
    String reason,
    String text,
    Optional<String> setting) {
  /** The reason where Hive does not know the committer at all. */
  public static final String NOT_INSTALLED = "NOT_INSTALLED";

  /** Who writes a statement's output. */
  public enum Verdict {
    /** The committer. */
    COMMITTER,
    /** Hive's own rename path, although the output is on S3. */
    HIVE,
    /** It writes no files to a place on S3 that outlives it. */
    NOT_APPLICABLE
  }

  public Explanation {
    requireNonNull(statement, "statement");
    requireNonNull(verdict, "verdict");
    requireNonNull(target, "target");
    requireNonNull(reason, "reason");
    requireNonNull(text, "text");
    requireNonNull(setting, "setting");
  }
}
