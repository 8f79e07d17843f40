package io.zerorename.core.kill;

import io.zerorename.core.commit.TestJob;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * The n-th job of a table of three partitions. Everything about it follows from its number, so that
 * the process that runs it and the one that checks it need not talk.
 *
 * @param number from 1 on
 */
record ScriptedJob(int number) {
  private static final int PARTITIONS = 3;

  String id() {
    return "job-%04d".formatted(number);
  }

  private boolean appends() {
    return number % 2 == 1;
  }

  private boolean overwritesTable() {
    return number % 4 == 0;
  }

  /** What the chosen attempts write: appending jobs to all partitions, the others to some. */
  private List<String> files() {
    int partitions = appends() ? PARTITIONS : PARTITIONS - 1;
    return IntStream.range(0, 4)
        .mapToObj(file -> "p=%d/file-%d".formatted((number + file % partitions) % PARTITIONS, file))
        .toList();
  }

  /** Names of its files in the table, with what is in them. */
  SortedMap<String, String> made() {
    SortedMap<String, String> made = new TreeMap<>();
    files().forEach(file -> made.put(file + "." + id(), file));
    return made;
  }

  /** The table after this job, given what it held before: contents by name. */
  SortedMap<String, String> applyTo(SortedMap<String, String> before) {
    SortedMap<String, String> after = new TreeMap<>(before);
    Set<String> replaced = new TreeSet<>();
    if (overwritesTable()) {
      replaced.add("");
    } else if (!appends()) {
      files().forEach(file -> replaced.add(file.substring(0, file.indexOf('/') + 1)));
    }
    after.keySet().removeIf(name -> replaced.stream().anyMatch(name::startsWith));
    after.putAll(made());
    return after;
  }

  /** The job before its tasks, in any process. */
  TestJob begin(ObjectStores stores, Path workDir) throws IOException {
    return new TestJob(stores, FileSystem.getLocal(new Configuration()), workDir, id());
  }

  /** Runs it as an engine does: two tasks and an attempt that loses, then the commit. */
  void run(ObjectStores stores, Path workDir) throws IOException {
    String[] files = files().toArray(String[]::new);
    TestJob job =
        begin(stores, workDir)
            .task("task-0", files[0], files[1])
            .losingTask("task-1-lost", "p=%d/losing".formatted(number % PARTITIONS))
            .task("task-1", files[2], files[3]);
    if (appends()) {
      job.insert();
    } else if (overwritesTable()) {
      job.overwrite(TestJob.TABLE);
    } else {
      job.overwrite();
    }
  }
}
