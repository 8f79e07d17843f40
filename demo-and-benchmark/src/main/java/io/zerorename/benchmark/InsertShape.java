package io.zerorename.benchmark;

import io.zerorename.testing.hive.Sales.Layout;
import io.zerorename.testing.hive.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What an INSERT of the suite {@code hive} writes.
 *
 * @param name of the case
 * @param format as in {@code STORED AS}
 * @param overwrite whether it replaces the files that are there; otherwise it adds to them
 * @param partitions 0 for a table that has none
 * @param tasks that write, each a file to each partition
 * @param merged whether Hive merges the small files of a partition into one, where it has several
 * @param fileMegabytes of each file, roughly; 0 for the sales of one day
 */
record InsertShape(
    String name,
    String format,
    boolean overwrite,
    int partitions,
    int tasks,
    boolean merged,
    int fileMegabytes) {

  static final int TYPICAL = 100;
  static final int MOST = 1_000;
  private static final List<Integer> PARTITIONS = List.of(1, 10, TYPICAL, MOST);

  static final InsertShape LARGE =
      new InsertShape("text-128MB-P2", "TEXTFILE", true, 2, 1, false, 128);

  static final List<InsertShape> ALL = all();

  private static List<InsertShape> all() {
    List<InsertShape> shapes = new ArrayList<>();
    for (int partitions : PARTITIONS) {
      for (String format : List.of("ORC", "PARQUET")) {
        shapes.add(ofOneTask(format, true, partitions));
        shapes.add(ofOneTask(format, false, partitions));
      }
    }
    // Four small files per partition, which Hive merges into one: by stripes, and by rows. The
    // third
    // has one file per partition, so that Hive finds nothing to merge.
    shapes.add(new InsertShape("orc-merged-P" + TYPICAL, "ORC", true, TYPICAL, 4, true, 0));
    shapes.add(new InsertShape("text-merged-P" + TYPICAL, "TEXTFILE", true, TYPICAL, 4, true, 0));
    shapes.add(
        new InsertShape("orc-merge-not-needed-P" + TYPICAL, "ORC", true, TYPICAL, 1, true, 0));
    shapes.add(new InsertShape("orc-tasks4-P" + TYPICAL, "ORC", true, TYPICAL, 4, false, 0));
    shapes.add(new InsertShape("orc-unpartitioned-F10", "ORC", true, 0, 10, false, 0));
    shapes.add(LARGE);
    return List.copyOf(shapes);
  }

  /** One file per partition, with the sales of a day. */
  static InsertShape ofOneTask(String format, boolean overwrite, int partitions) {
    String name =
        format.toLowerCase(Locale.ROOT) + (overwrite ? "-overwrite-P" : "-append-P") + partitions;
    return new InsertShape(name, format, overwrite, partitions, 1, false, 0);
  }

  /** Whether it is none of {@link #ofOneTask}. */
  boolean isSpecial() {
    return tasks > 1 || merged || fileMegabytes > 0;
  }

  Layout layout() {
    if (partitions == 0) {
      return Layout.UNPARTITIONED;
    }
    return tasks == 1 ? Layout.FILE_PER_PARTITION : Layout.FILE_PER_TASK;
  }

  /** The days of sales that it takes. */
  int days() {
    return partitions == 0 ? TYPICAL : partitions;
  }

  /** That one statement makes visible. */
  int files() {
    return merged ? partitions : filesOfTasks();
  }

  private int filesOfTasks() {
    return Math.max(1, partitions) * tasks;
  }

  /** Including its share of the first statement, which is not slowed down. */
  double estimatedSeconds(Subject subject, int latencyMillis) {
    double requestsInARow =
        switch (subject) {
          case STOCK -> 33;
          case STOCK_SCRATCH -> 2;
          case ZERO_RENAME -> 0;
        };
    double seconds = 2 + filesOfTasks() * (0.03 + fileMegabytes * 0.1);
    return seconds + 0.4 * seconds + files() * requestsInARow * latencyMillis / 1000;
  }

  /** Three times at most, of which two are the rounds' share of the table's creation and rows. */
  double estimatedRequests(Subject subject) {
    return 30
        + 2.0
            * files()
            * switch (subject) {
              case STOCK -> 64;
              case STOCK_SCRATCH -> 26;
              case ZERO_RENAME -> 1.2;
            };
  }
}
