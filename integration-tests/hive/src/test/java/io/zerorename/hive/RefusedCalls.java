package io.zerorename.hive;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.IHMSHandler;
import org.apache.hadoop.hive.metastore.RetryingHMSHandler;
import org.apache.hadoop.hive.metastore.api.MetaException;

/**
 * Hive's own entry to a metastore in the same JVM, which refuses the calls of one method while a
 * test says so. Not every request has an event that {@link RefusingMetastore} could refuse.
 */
public final class RefusedCalls extends RetryingHMSHandler {
  /** The settings by which a session uses this. */
  static final Map<String, String> SETTINGS =
      Map.of("hive.metastore.hmshandler.proxy", RefusedCalls.class.getName());

  static final String MESSAGE = "call refused by the test";
  private static volatile String refused = "";
  private static final AtomicReference<String> LOST = new AtomicReference<>("");

  /** For Hive. */
  public RefusedCalls(Configuration conf, IHMSHandler handler, boolean local) throws MetaException {
    super(conf, handler, local);
  }

  /**
   * @param method of the metastore's interface
   */
  static void refuse(String method) {
    refused = method;
  }

  /**
   * Lets the next call of a method take effect, and fail.
   *
   * @param method what the name of the metastore's method begins with
   */
  static void loseAnswer(String method) {
    LOST.set(method);
  }

  /** Whether the answer was lost. */
  static boolean isLost() {
    return LOST.get().isEmpty();
  }

  static void refuseNothing() {
    refused = "";
    LOST.set("");
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals(refused)) {
      throw new MetaException(MESSAGE);
    }
    Object answer = super.invoke(proxy, method, arguments);
    String lost = LOST.get();
    if (!lost.isEmpty() && method.getName().startsWith(lost) && LOST.compareAndSet(lost, "")) {
      throw new MetaException(MESSAGE);
    }
    return answer;
  }
}
