package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.Marker;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * What the entries of a log that come after one replace, as one listing shows them.
 *
 * @param replacing what they replace, by their numbers; each set is made once, because it is asked
 *     for each file
 * @param forceClosed whether an operator has force-closed the target
 * @param resumed whether another process has executed the target as well
 */
public record LaterEntries(
    LogTail tail,
    long target,
    SortedMap<Long, DirectorySet> replacing,
    boolean forceClosed,
    boolean resumed) {
  public LaterEntries {
    replacing = Collections.unmodifiableSortedMap(replacing);
  }

  /**
   * Reads them: one request per 1,000 records, and one for each entry that may replace something.
   * The name of an ended one says whether it does.
   */
  public static LaterEntries than(long target, CommitLog log) throws IOException {
    LogTail tail = log.tailDownTo(target);
    SortedMap<Long, DirectorySet> replacing = new TreeMap<>();
    boolean forceClosed = false;
    boolean resumed = false;
    for (long number : tail.numbers()) {
      if (number <= target) {
        continue;
      }
      resumed |= tail.target(number) == target;
      Optional<EntryKind> known = tail.marker(number).map(Marker::kind);
      if (known.isPresent() && !known.get().replaces() && known.get() != EntryKind.GIVEUP) {
        continue;
      }
      Optional<LogEntry> entry = log.read(number);
      entry
          .filter(it -> it.kind().replaces())
          .ifPresent(it -> replacing.put(it.number(), it.replaced()));
      resumed |= entry.filter(it -> it.target() == target).isPresent();
      forceClosed |=
          entry.filter(it -> it.kind() == EntryKind.GIVEUP && it.target() == target).isPresent();
    }
    return new LaterEntries(tail, target, replacing, forceClosed, resumed);
  }

  /** Whether the entry itself was deleted, because nothing is left of it. */
  boolean isCut() {
    return !tail.numbers().contains(target);
  }

  /** The directories that entries between the target and a number replace. */
  DirectorySet replacedBefore(long number) {
    return union(replacing.headMap(number).values().stream());
  }

  /** Whether a later entry replaces a directory; of an entry that was cut nothing is left. */
  public boolean replace(Path directory) {
    return isCut() || replacing.values().stream().anyMatch(it -> it.contains(directory));
  }

  /** Whether a later entry that has ended has replaced a directory. */
  boolean haveReplaced(Path directory) {
    return isCut()
        || replacing.entrySet().stream()
            .anyMatch(it -> tail.isDone(it.getKey()) && it.getValue().contains(directory));
  }

  /** All that those entries replace which replace one of some directories. */
  Collection<Path> replacedWith(Collection<Path> directories) {
    return isCut()
        ? directories
        : union(
                replacing.values().stream()
                    .filter(it -> directories.stream().anyMatch(it::contains)))
            .paths();
  }

  private static DirectorySet union(Stream<DirectorySet> sets) {
    return new DirectorySet(sets.flatMap(it -> it.paths().stream()).toList());
  }
}
