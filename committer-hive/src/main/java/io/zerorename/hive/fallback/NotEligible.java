package io.zerorename.hive.fallback;

/** Ends the examination of a statement: it keeps Hive's own path. */
public final class NotEligible extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Fallback fallback;

  NotEligible(FallbackReason reason) {
    this(reason, "");
  }

  public NotEligible(FallbackReason reason, String detail) {
    super(reason + " " + detail);
    this.fallback = new Fallback(reason, detail);
  }

  public Fallback fallback() {
    return fallback;
  }
}
