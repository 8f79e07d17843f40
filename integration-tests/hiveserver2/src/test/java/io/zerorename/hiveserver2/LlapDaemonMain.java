package io.zerorename.hiveserver2;

/**
 * LLAP's own main class, which only the class path of this process has, in a process that ends with
 * the one that has started it.
 */
final class LlapDaemonMain {
  private LlapDaemonMain() {}

  public static void main(String[] arguments) throws ReflectiveOperationException {
    EndWithInput.start();
    Class.forName("org.apache.hadoop.hive.llap.daemon.impl.LlapDaemon")
        .getMethod("main", String[].class)
        .invoke(null, (Object) arguments);
  }
}
