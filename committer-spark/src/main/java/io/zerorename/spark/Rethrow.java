package io.zerorename.spark;

import java.io.IOException;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

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

  /** Fails with the exception of a call as it is. */
  static <T> T io(CallableRaisingIOE<T> call) {
    try {
      return call.apply();
    } catch (IOException e) {
      throw Rethrow.<RuntimeException>unchecked(e);
    }
  }

  /** The same for a call without a result. */
  static void io(InvocationRaisingIOE call) {
    io(
        () -> {
          call.apply();
          return null;
        });
  }
}
