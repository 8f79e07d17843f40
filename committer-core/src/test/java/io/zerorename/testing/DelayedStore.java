package io.zerorename.testing;

import io.zerorename.core.store.ObjectStore;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;

/** A store that answers each request later. It costs no processor time while it waits. */
public final class DelayedStore implements InvocationHandler {
  private final ObjectStore store;
  private final int millis;

  private DelayedStore(ObjectStore store, int millis) {
    this.store = store;
    this.millis = millis;
  }

  /**
   * A store in front of another.
   *
   * @param millis how much later
   */
  public static ObjectStore of(ObjectStore store, int millis) {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            new DelayedStore(store, millis));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (isRequest(method)) {
      pause();
    }
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** What asks the store may fail; the other methods tell what is known here. */
  private static boolean isRequest(Method method) {
    return method.getDeclaringClass() == ObjectStore.class
        && Arrays.asList(method.getExceptionTypes()).contains(IOException.class);
  }

  private void pause() throws InterruptedIOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a request was delayed");
    }
  }
}
