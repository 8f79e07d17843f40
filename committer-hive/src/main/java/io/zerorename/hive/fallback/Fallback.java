package io.zerorename.hive.fallback;

/**
 * The reason why a statement keeps Hive's own path. Thrown, it ends the statement's examination.
 */
public final class Fallback extends Exception {
  private static final long serialVersionUID = 1L;

  private final FallbackReason reason;
  private final String detail;

  public Fallback(FallbackReason reason) {
    this(reason, "");
  }

  /**
   * @param detail such as a name or a value, or ""
   */
  public Fallback(FallbackReason reason, String detail) {
    // What a Hive lacks is found out once and thrown for each statement.
    super(reason + " " + detail, null, false, false);
    this.reason = reason;
    this.detail = detail;
  }

  /** Throws it where something is true. */
  static void when(boolean applies, FallbackReason reason) throws Fallback {
    if (applies) {
      throw new Fallback(reason);
    }
  }

  public FallbackReason reason() {
    return reason;
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
