package io.zerorename.testing;

import io.zerorename.core.store.ObjectStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

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
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(request)) {
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
