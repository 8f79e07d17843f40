package io.zerorename.core.store;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * What fails in steps of which none may be left out because another one has failed. The first
 * failure carries the others. Several threads may add.
 */
public final class Failures {
  private IOException first;

  /** Does a step, and keeps its failure. */
  public void of(InvocationRaisingIOE step) {
    try {
      step.apply();
    } catch (IOException e) {
      add(e);
    } catch (RuntimeException e) {
      add(new IOException(e));
    }
  }

  public synchronized void add(IOException failure) {
    if (first == null) {
      first = failure;
    } else if (first != failure) {
      first.addSuppressed(failure);
    }
  }

  /** The first failure, with the others. */
  public synchronized Optional<IOException> first() {
    return Optional.ofNullable(first);
  }

  /** Throws the first failure, with the others, if there is one. */
  public synchronized void throwAny() throws IOException {
    if (first != null) {
      throw first;
    }
  }
}
