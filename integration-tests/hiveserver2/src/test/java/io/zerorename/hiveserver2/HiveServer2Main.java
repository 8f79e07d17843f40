package io.zerorename.hiveserver2;

import org.apache.hive.service.server.HiveServer2;

/**
 * Hive's own main class, in a process that ends with the one that has started it, on a class path
 * that knows nothing of the committer.
 */
final class HiveServer2Main {
  private HiveServer2Main() {}

  public static void main(String[] arguments) {
    if (ClassLoader.getSystemResource("io/zerorename/hive/ZeroRenameHook.class") != null) {
      throw new IllegalStateException("the committer is on the class path, not in the aux path");
    }
    Footprint.watch();
    EndWithInput.start(Footprint::answer);
    HiveServer2.main(arguments);
  }
}
