package io.zerorename.hiveserver2;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * What a process of Hive takes of its machine, which it says when it is asked to. It is in a
 * process that has nothing else of the tests.
 *
 * @param heap bytes that are left after the garbage was collected
 * @param jobThreads those that jobs of the committer have
 * @param mostJobThreads the most of them that were there at once since the process began
 * @param shown how many of them the metrics show
 * @param mostShown the most that the metrics have shown
 * @param background threads of work for which no statement waits
 */
record Footprint(
    long heap, long jobThreads, long mostJobThreads, long shown, long mostShown, long background) {
  /** The line with which it is asked. */
  static final String QUESTION = "footprint?";

  static final String ANSWER = "footprint: ";

  private static final String METRICS = "Hadoop:service=ZeroRename,name=ZeroRename";
  private static final String OF_JOBS = "zerorename-commit-";

  private static final AtomicLong MOST = new AtomicLong();
  private static final AtomicLong MOST_SHOWN = new AtomicLong();

  /** Samples from now on, hundreds of times a second. */
  static void watch() {
    Thread watch =
        new Thread(
            () -> {
              while (true) {
                MOST.accumulateAndGet(countOfJobs(), Math::max);
                MOST_SHOWN.accumulateAndGet(shownByMetrics(), Math::max);
                try {
                  Thread.sleep(2);
                } catch (InterruptedException e) {
                  return;
                }
              }
            },
            "footprint");
    watch.setDaemon(true);
    watch.start();
  }

  /** Answers a line on standard input. */
  static void answer(String line) {
    if (line.equals(QUESTION)) {
      System.out.println(ANSWER + now());
    }
  }

  private static String now() {
    long jobThreads = countOfJobs();
    long shown = shownByMetrics();
    for (int i = 0; i < 3; i++) {
      // Also what is only softly reachable after the first.
      System.gc();
      System.runFinalization();
    }
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return Stream.of(
            heap, jobThreads, MOST.get(), shown, MOST_SHOWN.get(), countOf("zerorename-background"))
        .map(Object::toString)
        .reduce((one, other) -> one + " " + other)
        .orElseThrow();
  }

  /** What an answer says. */
  static Footprint of(String answer) {
    List<Long> values = new ArrayList<>();
    for (String value : answer.substring(ANSWER.length()).split(" ", -1)) {
      values.add(Long.valueOf(value));
    }
    return new Footprint(
        values.get(0), values.get(1), values.get(2), values.get(3), values.get(4), values.get(5));
  }

  private static long countOfJobs() {
    return countOf(OF_JOBS);
  }

  private static long countOf(String threads) {
    return allThreads().filter(thread -> thread.getName().startsWith(threads)).count();
  }

  private static Stream<Thread> allThreads() {
    ThreadGroup all = Thread.currentThread().getThreadGroup();
    while (all.getParent() != null) {
      all = all.getParent();
    }
    Thread[] threads = new Thread[2 * all.activeCount() + 100];
    int count = all.enumerate(threads);
    return Stream.of(threads).limit(count);
  }

  /** Zero before the committer has counted anything. */
  private static long shownByMetrics() {
    try {
      MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = new ObjectName(METRICS);
      return jmx.isRegistered(name) ? (Long) jmx.getAttribute(name, "Threads") : 0;
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }
}
