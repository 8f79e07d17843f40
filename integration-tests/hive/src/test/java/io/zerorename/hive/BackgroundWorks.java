package io.zerorename.hive;

import io.zerorename.testing.process.Await;

/** What statements of this process have begun in the background. */
final class BackgroundWorks {
  private static final String STATE = "io.zerorename.background.";

  private BackgroundWorks() {}

  /** Waits for the end of all, and lets the next statements begin the same at once. */
  static void await() throws Exception {
    for (String work : System.getProperties().stringPropertyNames()) {
      if (work.startsWith(STATE)) {
        Await.until(work + " has ended", () -> !System.getProperty(work, "").equals("running"));
        System.clearProperty(work);
      }
    }
  }
}
