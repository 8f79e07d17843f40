package io.zerorename.hive.fallback;

/** Ends the examination of a statement: it keeps Hive's own path. */
public final class NotEligible extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Fallback fallback;

  NotEligible(FallbackReason reason) {
    this(reason, "");
  }

  public NotEligible(FallbackReason reason, String detail) {
    this(new Fallback(reason, detail));
  }

  NotEligible(Fallback fallback) {
    super(fallback.reason() + " " + fallback.detail());
    this.fallback = fallback;
  }

  /** Throws it where something is true. */
  static void when(boolean applies, FallbackReason reason) throws NotEligible {
    if (applies) {
      throw new NotEligible(reason);
    }
  }

  public Fallback fallback() {
    return fallback;
  }
}
