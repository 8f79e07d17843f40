package io.zerorename.core.log;

import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.util.functional.RemoteIterators;

/** Deletes what no process needs of a log any more. The protocol page has the rule, "Cut". */
record LogCut(CommitLog log, ObjectRecords records, Duration kept) {
  private static final Duration LONGEST_REQUEST = Duration.ofHours(1);

  /**
   * Deletes entries from the lowest on, and their documents. It stops at the first that is younger
   * by the clock of the log, or has not ended, or has less than a day ago, or that an open entry
   * follows. Returns how many entries.
   */
  int run() throws IOException {
    LogTail all = log.tailDownTo(1);
    Instant before = all.listed().minus(kept);
    // A process that has listed an entry before its end does not decide later than this, but for
    // the time that its request takes.
    Instant ended = all.listed().minus(CommitLog.LONGEST_DECISION).minus(LONGEST_REQUEST);
    List<LogEntry> needed = needed(all, before, ended);
    Set<Long> kept = needed.stream().map(LogEntry::number).collect(Collectors.toSet());
    List<String> entries = new ArrayList<>();
    List<String> markers = new ArrayList<>();
    for (long number : all.numbers()) {
      // The highest stays, so that no number is used twice: a process may have slept for days.
      if (number == all.highest()
          || kept.contains(number)
          || !all.written(number).isBefore(before)) {
        break;
      }
      entries.add(EntryNames.entry(number));
      all.markers(number).forEach(marker -> markers.add(EntryNames.marker(marker)));
    }
    // Entries before their markers: a marker without its entry says nothing.
    records.delete(entries);
    records.delete(markers);
    records.delete(unneeded(all, needed, before));
    return entries.size();
  }

  /**
   * The old entries that have not ended, or have not long ago: a process may be about to decide an
   * overwrite that follows them. And those that an open entry follows: to execute it takes both.
   */
  private List<LogEntry> needed(LogTail all, Instant before, Instant ended) throws IOException {
    NavigableSet<Long> numbers = new TreeSet<>();
    for (long number : all.open()) {
      log.read(number, all).map(LogEntry::follows).ifPresent(numbers::addAll);
    }
    // Documents of a plan are written before its entry, and not long before.
    Instant old = before.plus(CommitLog.LONGEST_DECISION).plus(LONGEST_REQUEST);
    for (long number : all.numbers()) {
      if (all.written(number).isBefore(old) && !all.hasEndedBefore(number, ended)) {
        numbers.add(number);
      }
    }
    List<LogEntry> needed = new ArrayList<>();
    for (long number : numbers) {
      log.read(number, all).ifPresent(needed::add);
    }
    return needed;
  }

  /**
   * Documents of entries that have ended or were never written, and markers that an interrupted cut
   * has left.
   */
  private List<String> unneeded(LogTail all, List<LogEntry> needed, Instant before)
      throws IOException {
    Set<String> documents =
        needed.stream().flatMap(entry -> entry.chunks().stream()).collect(Collectors.toSet());
    return Stream.concat(
            list(EntryNames.PARTS).filter(it -> EntryNames.isOfPlan(it.key())),
            list(EntryNames.LOG).filter(it -> isStrayMarker(it.key(), all)))
        .filter(it -> it.lastModified().isBefore(before))
        .map(ObjectSummary::key)
        .filter(name -> !documents.contains(name))
        .toList();
  }

  private Stream<ObjectSummary> list(String prefix) throws IOException {
    return RemoteIterators.toList(records.list(prefix)).stream();
  }

  private static boolean isStrayMarker(String name, LogTail all) {
    return EntryNames.parse(name)
        .flatMap(EntryNames.Parsed::marker)
        .filter(marker -> !all.markers(marker.number()).contains(marker))
        .isPresent();
  }
}
