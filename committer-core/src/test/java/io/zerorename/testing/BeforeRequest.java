package io.zerorename.testing;

import io.zerorename.core.store.ObjectStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/** Stores that let a test do something before they answer. */
public final class BeforeRequest {
  private BeforeRequest() {}

  /** What the test does. */
  @FunctionalInterface
  public interface Step {
    /** Does it; what it throws, the request throws. */
    void run() throws Exception;
  }

  /**
   * A store with the content of another.
   *
   * @param request name of the method before which the step is done, each time
   */
  public static ObjectStore of(ObjectStore store, String request, Step step) {
    return of(store, request, any -> true, step);
  }

  /** The same, where the step is done once, before the first such request. */
  public static ObjectStore first(ObjectStore store, String request, Step step) {
    return nth(store, request, 1, step);
  }

  /** The same, where the step is done once, before the n-th such request. */
  public static ObjectStore nth(ObjectStore store, String request, int nth, Step step) {
    return of(store, request, number -> number == nth, step);
  }

  private static ObjectStore of(ObjectStore store, String request, IntPredicate before, Step step) {
    AtomicInteger requests = new AtomicInteger();
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(request) && before.test(requests.incrementAndGet())) {
                step.run();
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
