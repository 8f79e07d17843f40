package io.zerorename.core.commit;

import io.zerorename.core.store.StoreException;
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
  record Call(String what, boolean store, boolean changes) {}

  /** What a call does; at once or not at all. */
  @FunctionalInterface
  interface Effect<T> {
    T take() throws IOException;
  }

  /** What is done beside a call; where it fails, so does the call. */
  @FunctionalInterface
  interface Step {
    void on(Call call) throws IOException;
  }

  <T> T make(Call call, Effect<T> effect) throws IOException;

  /** The end of a process: it makes no further call. */
  final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
      super("the process has crashed", null, false, false);
    }
  }

  /** A call that takes effect later, when nobody waits for it any more. */
  record Late(Call call, Effect<?> effect) {}

  /** What the process sees of a call that was lost, or whose answer was. */
  static IOException noAnswer(Call call) {
    String message = "planned: no answer to " + call.what();
    return call.store()
        ? new StoreException(StoreException.Kind.AMBIGUOUS, message)
        : new IOException(message);
  }

  /** Calls that nothing goes wrong with. */
  static Calls undisturbed() {
    return between(call -> {}, call -> {});
  }

  /** Each call is made, with something before it and behind it. */
  static Calls between(Step before, Step behind) {
    return new Calls() {
      @Override
      public <T> T make(Call call, Effect<T> effect) throws IOException {
        before.on(call);
        T result = effect.take();
        behind.on(call);
        return result;
      }
    };
  }
}
