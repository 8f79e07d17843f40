package io.zerorename.hiveserver2;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
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
 * @param servers threads that serve clients' requests and run their statements
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
    long servers,
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

  /** The property that names the file for the classes of the heap, largest first. */
  static final String CLASSES = "footprint.classes";

  private static final String METRICS = "Hadoop:service=ZeroRename,name=ZeroRename";
  private static final String LOADER = "org.apache.hadoop.hive.ql.exec.UDFClassLoader";
  private static final String OF_JOBS = "zerorename-commit-";

  /** The name of a session may stand before it. */
  private static final Pattern OF_SERVERS =
      Pattern.compile("HiveServer2-(Handler|Background)-Pool");

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
    String classes = classesOfHeap();
    save(classes);
    return Stream.of(
            heap,
            ManagementFactory.getThreadMXBean().getThreadCount(),
            allThreads().filter(thread -> OF_SERVERS.matcher(thread.getName()).find()).count(),
            jobThreads,
            MOST.get(),
            shown,
            MOST_SHOWN.get(),
            ManagementFactory.getClassLoadingMXBean().getLoadedClassCount(),
            countOfLoaders(classes),
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
        values.get(8),
        values.get(9));
  }

  /** With names, for a report. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("heap", heap);
    figures.put("threads", threads);
    figures.put("servers", servers);
    figures.put("jobThreads", jobThreads);
    figures.put("mostJobThreads", mostJobThreads);
    figures.put("classes", classes);
    figures.put("loaders", loaders);
    figures.put("files", files);
    return figures;
  }

  private static long countOfJobs() {
    return allThreads().filter(thread -> thread.getName().startsWith(OF_JOBS)).count();
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

  /** A line each: a number, the instances, their bytes and the class. */
  private static String classesOfHeap() {
    try {
      return (String)
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "gcClassHistogram",
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void save(String classes) {
    String file = System.getProperty(CLASSES);
    if (file != null) {
      try {
        Files.writeString(Path.of(file), classes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static long countOfLoaders(String classes) {
    return classes
        .lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(words -> words.length > 3 && words[3].equals(LOADER))
        .mapToLong(words -> Long.parseLong(words[1]))
        .sum();
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
