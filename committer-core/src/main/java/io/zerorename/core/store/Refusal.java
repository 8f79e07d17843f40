package io.zerorename.core.store;

/**
 * Why a store did not delete one of the objects that a request names.
 *
 * @param reason the store's
 * @param passing whether the same request may be taken later: the store had an error, or too much
 *     to do
 */
public record Refusal(String reason, boolean passing) {
  /** Of an object whose comparison does not hold any more: nothing was sent. */
  public static final Refusal LATE = new Refusal("it was compared too long ago", true);

  @Override
  public String toString() {
    return reason;
  }
}
