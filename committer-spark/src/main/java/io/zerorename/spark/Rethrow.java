package io.zerorename.spark;

import java.io.IOException;

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

  /** What may fail. */
  @FunctionalInterface
  interface Step<T> {
    T run() throws IOException;
  }

  /** Fails with the exception of the step as it is. */
  static <T> T io(Step<T> step) {
    try {
      return step.run();
    } catch (IOException e) {
      throw Rethrow.<RuntimeException>unchecked(e);
    }
  }
}
