package io.zerorename.core.upload;

/** Counts the bytes that a task attempt has inlined, in all its streams. */
@FunctionalInterface
public interface InlineCount {
  /**
   * Adds bytes, or takes some back; called by any thread.
   *
   * @return the sum
   */
  long add(long bytes);
}
