package io.zerorename.core.commit;

import java.io.IOException;

/** How a simulated process reaches the world outside: every request and every file call is one. */
public interface Calls {
  /**
   * A call.
   *
   * @param what for a person
   * @param store of the object store; otherwise of the cluster file system or the engine
   * @param changes whether it may change something
   */
  public record Call(String what, boolean store, boolean changes) {}

  /** What a call does; at once or not at all. */
  @FunctionalInterface
  public interface Effect<T> {
    T take() throws IOException;
  }

  public <T> T make(Call call, Effect<T> effect) throws IOException;
}
