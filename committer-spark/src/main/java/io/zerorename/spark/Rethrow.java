package io.zerorename.spark;

/** Lets checked exceptions through methods of Scala, which declare none and expect them. */
final class Rethrow {
  private Rethrow() {}

  /**
   * Fails with the exception as it is.
   *
   * @return never; so that the caller can end in a throw
   */
  @SuppressWarnings("unchecked")
  static <E extends Throwable> RuntimeException unchecked(Throwable failure) throws E {
    throw (E) failure;
  }
}
