package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

/** That a statement keeps Hive's own path, why, and a detail such as a name or a value, or "". */
record Fallback(FallbackReason reason, String detail) {
  Fallback {
    requireNonNull(reason, "reason");
    requireNonNull(detail, "detail");
  }

  Fallback(FallbackReason reason) {
    this(reason, "");
  }

  /** One line for a person. */
  String message(String target) {
    return "zero-rename: "
        + target
        + (reason == FallbackReason.COMMIT_RECORDS
            ? " is not written: "
            : " is written by Hive's own rename path: ")
        + reason
        + ", "
        + sentence();
  }

  /** The reason and its detail, without the reason's name. */
  String sentence() {
    return reason.explanation() + (detail.isEmpty() ? "" : " (" + detail + ")");
  }
}
