package io.zerorename.hive.commit;

import io.zerorename.testing.process.Await;
import java.util.Set;

/** What statements of this process have begun in the background. */
public final class BackgroundWorks {
  private BackgroundWorks() {}

  /** Waits for the end of all, and lets the next statements begin the same at once. */
  public static void await() throws Exception {
    for (String work : Set.copyOf(BackgroundWork.BEGUN.keySet())) {
      Await.until(work + " has ended", () -> BackgroundWork.BEGUN.get(work).hasEnded());
      BackgroundWork.BEGUN.remove(work);
    }
  }
}
