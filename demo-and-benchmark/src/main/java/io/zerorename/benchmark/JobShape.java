package io.zerorename.benchmark;

import java.util.List;

/** How much a job writes: so many tasks, so many files each, all of one size. */
record JobShape(int tasks, int filesPerTask, long fileBytes) {
  private static final long KILOBYTE = 1024;
  private static final long MEGABYTE = 1024 * KILOBYTE;

  /** Many small files; files of one part; files of several parts. */
  static final List<JobShape> ALL =
      List.of(
          new JobShape(20, 1, 100 * KILOBYTE),
          new JobShape(20, 50, 100 * KILOBYTE),
          new JobShape(100, 10, 100 * KILOBYTE),
          new JobShape(20, 4, 8 * MEGABYTE),
          new JobShape(4, 2, 256 * MEGABYTE));

  /** Whether it is run even where time is short. */
  boolean isTypical() {
    return tasks == 20 && bytes() < 128 * MEGABYTE;
  }

  int files() {
    return tasks * filesPerTask;
  }

  long bytes() {
    return files() * fileBytes;
  }

  String caseName() {
    String size = fileBytes < MEGABYTE ? fileBytes / KILOBYTE + "KB" : fileBytes / MEGABYTE + "MiB";
    return "T" + tasks + "xF" + filesPerTask + "-" + size;
  }
}
