package io.zerorename.testing.spark;

import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** When the first task began and the last one ended, in milliseconds of the clock. */
final class TaskTimes {
  private static final long PATIENCE_MILLIS = 60_000;

  private final SparkContext context;
  private final AtomicLong begin = new AtomicLong();
  private final AtomicLong end = new AtomicLong();

  TaskTimes(SparkContext context) {
    this.context = context;
    context.addSparkListener(
        new SparkListener() {
          @Override
          public void onTaskEnd(SparkListenerTaskEnd task) {
            begin.accumulateAndGet(task.taskInfo().launchTime(), Math::min);
            end.accumulateAndGet(task.taskInfo().finishTime(), Math::max);
          }
        });
  }

  /** Forgets the tasks of before. */
  void reset() {
    awaitReports();
    begin.set(Long.MAX_VALUE);
    end.set(Long.MIN_VALUE);
  }

  /** Returns when the tasks that have ended are known. */
  void awaitReports() {
    try {
      context.listenerBus().waitUntilEmpty(PATIENCE_MILLIS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("Spark did not report the ends of its tasks", e);
    }
  }

  /** At most the time that is given, which it is without tasks. */
  long begin(long atMost) {
    return Math.min(begin.get(), atMost);
  }

  /** At most the time that is given. */
  long end(long atMost) {
    return end.get() == Long.MIN_VALUE ? atMost : Math.min(end.get(), atMost);
  }
}
