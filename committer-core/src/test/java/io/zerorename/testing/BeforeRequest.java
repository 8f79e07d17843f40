package io.zerorename.testing;

import io.zerorename.core.store.ObjectStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

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
    return of(store, method -> method.getName().equals(request), any -> true, step);
  }

  /** The same before each request, whatever it asks for. */
  public static ObjectStore each(ObjectStore store, Step step) {
    // What asks the store may fail; the other methods tell what is known here.
    return of(
        store,
        method ->
            method.getDeclaringClass() == ObjectStore.class
                && List.of(method.getExceptionTypes()).contains(IOException.class),
        any -> true,
        step);
  }

  /** The same, where the step is done once, before the first such request. */
  public static ObjectStore first(ObjectStore store, String request, Step step) {
    return nth(store, request, 1, step);
  }

  /** The same, where the step is done once, before the n-th such request. */
  public static ObjectStore nth(ObjectStore store, String request, int nth, Step step) {
    return of(store, method -> method.getName().equals(request), number -> number == nth, step);
  }

  private static ObjectStore of(
      ObjectStore store, Predicate<Method> requests, IntPredicate numbers, Step step) {
    AtomicInteger count = new AtomicInteger();
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              if (requests.test(method) && numbers.test(count.incrementAndGet())) {
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
