package io.zerorename.core.parallel;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.FutureIO;

/**
 * Runs work that must be completed once it was decided in a thread that is never interrupted.
 * Requests, locks and the processes that Hadoop forks all fail under an interrupt, so it is not
 * enough to ignore one between them.
 */
public final class Uninterrupted {
  private Uninterrupted() {}

  /** Runs and waits; an interrupt of the caller meanwhile is set again at the end. */
  public static <T> T call(CallableRaisingIOE<T> work) throws IOException {
    return call(work, Duration.ZERO, () -> {});
  }

  /**
   * Like {@link #call(CallableRaisingIOE)}.
   *
   * @param interval how often the waiting thread does something else; zero for never
   * @param meanwhile what it does, without failing
   */
  public static <T> T call(CallableRaisingIOE<T> work, Duration interval, Runnable meanwhile)
      throws IOException {
    return call(work, interval, meanwhile, Thread::new);
  }

  static <T> T call(
      CallableRaisingIOE<T> work, Duration interval, Runnable meanwhile, ThreadFactory factory)
      throws IOException {
    FutureTask<T> task = new FutureTask<>(work::apply);
    boolean interrupted = false;
    try {
      try {
        Thread thread = factory.newThread(task);
        thread.setName("zerorename-commit");
        thread.setDaemon(true);
        thread.start();
      } catch (OutOfMemoryError e) {
        // The system has no thread left. Better here, where an interrupt may disturb it, than not.
        interrupted = Thread.interrupted();
        task.run();
      }
      while (true) {
        try {
          return interval.isZero()
              ? task.get()
              : task.get(interval.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          meanwhile.run();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          return FutureIO.raiseInnerCause(e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
