package io.zerorename.hive.fallback;

import static java.util.Objects.requireNonNull;

/**
 * The reason why a statement keeps Hive's own path.
 *
 * @param detail such as a name or a value, or ""
 */
public record Fallback(FallbackReason reason, String detail) {
  public Fallback {
    requireNonNull(reason, "reason");
    requireNonNull(detail, "detail");
  }

  public Fallback(FallbackReason reason) {
    this(reason, "");
  }

  /** One line for a person. */
  public String message(String target) {
    String fate =
        reason == FallbackReason.COMMIT_RECORDS
            ? "is not written"
            : "is written by Hive's own rename path";
    return "zero-rename: %s: %s %s: %s, %s"
        .formatted(reason.code(), target, fate, reason, sentence());
  }

  /** The reason and its detail, without the reason's name. */
  public String sentence() {
    return reason.explanation() + (detail.isEmpty() ? "" : " (" + detail + ")");
  }
}
