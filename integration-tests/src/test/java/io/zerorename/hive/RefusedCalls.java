package io.zerorename.hive;

import java.lang.reflect.Method;
import java.util.Map;
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

  static void refuseNothing() {
    refused = "";
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals(refused)) {
      throw new MetaException(MESSAGE);
    }
    return super.invoke(proxy, method, arguments);
  }
}
