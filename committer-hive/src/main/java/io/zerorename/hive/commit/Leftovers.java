package io.zerorename.hive.commit;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what is left in directories that the metastore knows nothing of: by a partition that
 * was dropped, or by a run that has failed. A file of a job that has yet to register the directory
 * is no such thing.
 *
 * <p>The order of the steps is what makes that sure: the directories are listed, then the log is,
 * and then the metastore is asked which of them it does not know. A commit whose files the first
 * step has shown is in the log; if it has ended there, the metastore knows the directory. Spark and
 * MapReduce do so after that or not at all, and to files in the directory of an unknown partition
 * happens what Hive's own path does to them.
 *
 * @param begun when the job began that wants to replace what is left, by this machine's clock
 */
record Leftovers(ObjectStores stores, CommitLog log, Instant begun) {
  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

  /** The clock of a store, and the times of its objects, may be whole seconds. */
  private static final Duration CLOCK_STEP = Duration.ofSeconds(1);

  /**
   * Of the objects that a listing has shown those that were there before the job began, in
   * directories to which no open entry of the log writes. One request, and two for each open entry
   * that may write there.
   *
   * @param listed the objects, by their directories
   * @return the same without the others; no directory of which none is left; nothing where an open
   *     entry cannot be read, which may write anywhere
   */
  Map<Path, List<ObjectSummary>> among(Map<Path, List<ObjectSummary>> listed) throws IOException {
    Set<Path> awaited;
    try {
      awaited = awaited(listed.keySet());
    } catch (MalformedDocumentException e) {
      LOG.warn(
          "ZR-1210: {} keeps all files that lie in new partitions, because an open entry of it"
              + " cannot be read and may have written them",
          log.location(),
          e);
      return Map.of();
    }
    Map<Path, List<ObjectSummary>> left = new HashMap<>();
    for (Map.Entry<Path, List<ObjectSummary>> directory : listed.entrySet()) {
      Instant latest = stores.forPath(directory.getKey()).now();
      Instant before = latest.minus(Duration.between(begun, Instant.now())).plus(CLOCK_STEP);
      List<ObjectSummary> old =
          directory.getValue().stream().filter(it -> !it.lastModified().isAfter(before)).toList();
      boolean isAwaited = awaited.stream().anyMatch(it -> overlap(it, directory.getKey()));
      if (!isAwaited && !old.isEmpty()) {
        left.put(directory.getKey(), old);
      }
    }
    return left;
  }

  /** The directories that commits change which have not ended. */
  private Set<Path> awaited(Set<Path> directories) throws IOException {
    LogTail tail = log.tail();
    SortedSet<Long> open = log.overlapping(tail.open(), new DirectorySet(directories), tail);
    Set<Path> awaited = new HashSet<>();
    for (long number : open) {
      Optional<LogEntry> entry = log.read(number, tail);
      if (entry.filter(it -> it.kind().commits()).isPresent()) {
        awaited.addAll(log.plan(entry.get()).changedDirectories());
      }
    }
    return awaited;
  }

  private static boolean overlap(Path one, Path other) {
    return ObjectKeys.isAtOrBelow(one, other) || ObjectKeys.isAtOrBelow(other, one);
  }
}
