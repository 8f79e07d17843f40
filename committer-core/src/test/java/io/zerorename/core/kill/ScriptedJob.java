package io.zerorename.core.kill;

import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The n-th job of a table of three partitions. Everything about it follows from its number, so that
 * the process that runs it and the one that checks it need not talk.
 *
 * @param number from 1 on
 */
record ScriptedJob(int number) {
  private static final int PARTITIONS = 3;
  private static final int FILES = 4;

  /** Which old files a job replaces. */
  enum Kind {
    APPEND,
    OVERWRITE_PARTITIONS,
    OVERWRITE_TABLE
  }

  /**
   * A file that a task attempt writes.
   *
   * @param name relative to the table, the job's id included
   */
  record File(String name, String content) {
    String partition() {
      return name.substring(0, name.indexOf('/') + 1);
    }
  }

  /** Every second job appends; the others overwrite in turns of one way and the other. */
  Kind kind() {
    if (number % 2 == 1) {
      return Kind.APPEND;
    }
    return number % 4 == 2 ? Kind.OVERWRITE_PARTITIONS : Kind.OVERWRITE_TABLE;
  }

  String id() {
    return "job-%04d".formatted(number);
  }

  /** What the chosen attempts write: appending jobs to all partitions, the others to some. */
  List<File> files() {
    int partitions = kind() == Kind.APPEND ? PARTITIONS : PARTITIONS - 1;
    return IntStream.range(0, FILES)
        .mapToObj(index -> file((number + index % partitions) % PARTITIONS, "file-" + index))
        .toList();
  }

  /** What an attempt writes that is not chosen. */
  File losingFile() {
    return file(number % PARTITIONS, "losing");
  }

  private File file(int partition, String name) {
    return new File(
        "p=%d/%s.%s".formatted(partition, name, id()), "%s of %s\n".formatted(name, id()));
  }

  /** The table after this job, given what it held before: contents by name. */
  SortedMap<String, String> applyTo(SortedMap<String, String> before) {
    SortedMap<String, String> after = new TreeMap<>(before);
    Set<String> replaced = new TreeSet<>();
    if (kind() == Kind.OVERWRITE_PARTITIONS) {
      files().forEach(file -> replaced.add(file.partition()));
    } else if (kind() == Kind.OVERWRITE_TABLE) {
      replaced.add("");
    }
    after.keySet().removeIf(name -> replaced.stream().anyMatch(name::startsWith));
    files().forEach(file -> after.put(file.name(), file.content()));
    return after;
  }
}
