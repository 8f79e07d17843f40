package io.zerorename.testing.tez;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.apache.tez.runtime.api.ProcessorContext;

/** What befalls a task after it has written its lines and before it commits. */
public enum Mishap {
  NONE {
    @Override
    void strike(ProcessorContext task) {}
  },
  EVERY_ATTEMPT_FAILS {
    @Override
    void strike(ProcessorContext task) throws IOException {
      if (task.getTaskIndex() == 0) {
        throw new IOException("every attempt fails, as the test wants it");
      }
    }
  },
  FIRST_CONTAINER_IS_KILLED {
    @Override
    void strike(ProcessorContext task) throws IOException, InterruptedException {
      if (task.getTaskIndex() == 0 && task.getTaskAttemptNumber() == 0) {
        Processes.kill(ProcessHandle.current().pid());
        waitForEver();
      }
    }
  },
  /** Until the first AM is gone; then YARN stops its containers. */
  LAST_TASK_WAITS_UNDER_FIRST_MASTER {
    @Override
    void strike(ProcessorContext task) throws InterruptedException {
      if (task.getTaskIndex() == task.getVertexParallelism() - 1
          && task.getDAGAttemptNumber() == 1) {
        waitForEver();
      }
    }
  };

  abstract void strike(ProcessorContext task) throws IOException, InterruptedException;

  private static void waitForEver() throws InterruptedException {
    new CountDownLatch(1).await();
  }
}
