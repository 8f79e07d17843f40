package io.zerorename.hiveserver2;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * @param threads of the process
 * @param jobThreads those that jobs of the committer have
 * @param mostJobThreads the most of them that were there at once since the process began
 * @param shown how many of them the metrics show
 * @param mostShown the most that the metrics have shown
 * @param classes that are loaded
 * @param loaders those that sessions have for the jars of their own
 * @param files that are open, connections included
 */
record Footprint(
    long heap,
    long threads,
    long jobThreads,
    long mostJobThreads,
    long shown,
    long mostShown,
    long classes,
    long loaders,
    long files) {
  /** The line with which it is asked. */
  static final String QUESTION = "footprint?";

  static final String ANSWER = "footprint: ";

  private static final String METRICS = "Hadoop:service=ZeroRename,name=ZeroRename";
  private static final String LOADER = "org.apache.hadoop.hive.ql.exec.UDFClassLoader";
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
    return Stream.of(
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
            ManagementFactory.getThreadMXBean().getThreadCount(),
            jobThreads,
            MOST.get(),
            shown,
            MOST_SHOWN.get(),
            ManagementFactory.getClassLoadingMXBean().getLoadedClassCount(),
            countOfLoaders(),
            ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getOpenFileDescriptorCount())
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
        values.get(0),
        values.get(1),
        values.get(2),
        values.get(3),
        values.get(4),
        values.get(5),
        values.get(6),
        values.get(7),
        values.get(8));
  }

  /** With names, for a report. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("heap", heap);
    figures.put("threads", threads);
    figures.put("jobThreads", jobThreads);
    figures.put("mostJobThreads", mostJobThreads);
    figures.put("classes", classes);
    figures.put("loaders", loaders);
    figures.put("files", files);
    return figures;
  }

  private static long countOfJobs() {
    ThreadGroup all = Thread.currentThread().getThreadGroup();
    while (all.getParent() != null) {
      all = all.getParent();
    }
    Thread[] threads = new Thread[2 * all.activeCount() + 100];
    int count = all.enumerate(threads);
    return Stream.of(threads)
        .limit(count)
        .filter(thread -> thread.getName().startsWith(OF_JOBS))
        .count();
  }

  /** A line of the histogram has a number, the instances, their bytes and the class. */
  private static long countOfLoaders() {
    try {
      String histogram =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "gcClassHistogram",
                      new Object[] {new String[0]},
                      new String[] {String[].class.getName()});
      return histogram
          .lines()
          .map(line -> line.strip().split("\\s+"))
          .filter(words -> words.length > 3 && words[3].equals(LOADER))
          .mapToLong(words -> Long.parseLong(words[1]))
          .sum();
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
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
