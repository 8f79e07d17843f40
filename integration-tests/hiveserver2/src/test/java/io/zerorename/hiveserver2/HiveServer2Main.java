package io.zerorename.hiveserver2;

import java.net.URL;
import org.apache.hive.service.server.HiveServer2;

/**
 * Hive's own main class, in a process that ends with the one that has started it, on a class path
 * that knows nothing of the committer, or its jar alone.
 */
final class HiveServer2Main {
  /** The line with which it is asked for the threads of work for which no statement waits. */
  static final String QUESTION = "background threads?";

  /** Begins the answer; their number follows. */
  static final String ANSWER = "background threads: ";

  private HiveServer2Main() {}

  public static void main(String[] arguments) {
    URL hook = ClassLoader.getSystemResource("io/zerorename/hive/ZeroRenameHook.class");
    if (hook != null && !hook.getProtocol().equals("jar")) {
      throw new IllegalStateException("the committer's classes are on the class path, not its jar");
    }
    EndWithInput.start(HiveServer2Main::answer);
    HiveServer2.main(arguments);
  }

  private static void answer(String line) {
    if (line.equals(QUESTION)) {
      System.out.println(
          ANSWER
              + Thread.getAllStackTraces().keySet().stream()
                  .filter(thread -> thread.getName().startsWith("zerorename-background"))
                  .count());
    }
  }
}
