package io.zerorename.hive;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.IHMSHandler;
import org.apache.hadoop.hive.metastore.RetryingHMSHandler;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.ql.metadata.Hive;

/**
 * Hive's own entry to a metastore in the same JVM, which refuses calls while a test says so. A test
 * names the beginnings of methods of the metastore's interface.
 */
public final class RefusedCalls extends RetryingHMSHandler {
  static final String MESSAGE = "call refused by the test";

  /** Begins no method's name. */
  private static final String NONE = "none";

  private static volatile String refused = NONE;
  private static volatile String argument = "";
  private static final AtomicReference<String> LOST = new AtomicReference<>(NONE);

  /** For Hive. */
  public RefusedCalls(Configuration conf, IHMSHandler handler, boolean local) throws MetaException {
    super(conf, handler, local);
  }

  /** Makes the session's metastore one that can refuse. */
  static void install(HiveOnS3 s3) {
    refuseNothing();
    s3.hive().set("hive.metastore.hmshandler.proxy", RefusedCalls.class.getName());
    // The next statement makes a client, and with it a metastore, of the new setting.
    Hive.closeCurrent();
  }

  static void refuse(String method) {
    refuse(method, "");
  }

  /**
   * Refuses calls with an argument, as a database does that cannot take a value.
   *
   * @param text in the argument as Thrift shows it
   */
  static void refuse(String method, String text) {
    argument = text;
    refused = method;
  }

  /** Lets the next call take effect, and fail. */
  static void loseAnswer(String method) {
    LOST.set(method);
  }

  /** Whether the answer was lost. */
  static boolean isLost() {
    return LOST.get().equals(NONE);
  }

  static void refuseNothing() {
    refused = NONE;
    LOST.set(NONE);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    String name = method.getName();
    if (name.startsWith(refused) && Arrays.toString(arguments).contains(argument)) {
      throw new MetaException(MESSAGE);
    }
    Object answer = super.invoke(proxy, method, arguments);
    String lost = LOST.get();
    if (name.startsWith(lost) && LOST.compareAndSet(lost, NONE)) {
      throw new MetaException(MESSAGE);
    }
    return answer;
  }
}
