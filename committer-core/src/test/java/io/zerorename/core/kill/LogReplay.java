package io.zerorename.core.kill;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/** The entries of a log in the order of their numbers, and what they say of files. */
final class LogReplay {
  private final Map<Long, LogEntry> entries = new TreeMap<>();

  /** The entries that decide jobs, also against them. */
  private final Map<String, LogEntry> byJob = new HashMap<>();

  /** By key, the numbers of the entries that promise files. */
  private final Map<String, Long> files = new TreeMap<>();

  /** By key, their directories. */
  private final Map<String, Path> directories = new HashMap<>();

  /** By directory, the numbers of the entries that replace it. */
  private final Map<Path, NavigableSet<Long>> replacing = new HashMap<>();

  /** Reads all of a log. */
  LogReplay(CommitLog log) throws IOException {
    for (long number : log.tailDownTo(1).numbers()) {
      LogEntry entry = log.read(number).orElseThrow();
      entries.put(number, entry);
      if (byJob.put(entry.job().id(), entry) != null) {
        throw new AssertionError("two entries decide job " + entry.job().id());
      }
      CommitPlan plan = log.plan(entry);
      RemoteIterators.foreach(
          plan.uploads(),
          file -> {
            files.put(file.key(), number);
            directories.put(file.key(), file.destination().getParent());
          });
    }
    for (Path directory : directories.values()) {
      replacing.computeIfAbsent(directory, this::replacing);
    }
  }

  private NavigableSet<Long> replacing(Path directory) {
    NavigableSet<Long> numbers = new TreeSet<>();
    for (LogEntry entry : entries.values()) {
      if (entry.kind() == EntryKind.REPLACE && entry.replaced().contains(directory)) {
        numbers.add(entry.number());
      }
    }
    return numbers;
  }

  /** The entry that decides a job, also against it. */
  Optional<LogEntry> of(String jobId) {
    return Optional.ofNullable(byJob.get(jobId));
  }

  /** By key the number of the entry that promises it. */
  Map<String, Long> files() {
    return files;
  }

  /** The first later entry that replaces a file. */
  Optional<Long> replaces(String key) {
    return Optional.ofNullable(replacing.get(directories.get(key)).higher(files.get(key)));
  }
}
