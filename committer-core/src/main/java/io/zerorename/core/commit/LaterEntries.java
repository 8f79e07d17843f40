package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.Marker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/**
 * An entry, and what the entries that come after it replace, as one listing shows them.
 *
 * @param isGone whether another entry has its number, because the log was deleted
 * @param overwrites those that replace something
 */
public record LaterEntries(LogEntry entry, LogTail tail, boolean isGone, List<Later> overwrites) {
  /**
   * A later entry. Its set of directories is made once, because it is asked for each file.
   *
   * @param follows whether it follows the entry
   */
  record Later(long number, DirectorySet replaced, boolean follows) {}

  /**
   * Reads them: one request per 1,000 records, and one for each entry that may replace something.
   * The name of a marker says whether it does. One more where another entry may have the number.
   */
  public static LaterEntries than(LogEntry entry, CommitLog log) throws IOException {
    return read(entry, List.of(), log);
  }

  /** Looks again: one request, and one for each entry that has come and may replace something. */
  LaterEntries again(CommitLog log) throws IOException {
    return read(entry, overwrites, log);
  }

  /**
   * @param before those that were read already
   */
  private static LaterEntries read(LogEntry entry, List<Later> before, CommitLog log)
      throws IOException {
    long number = entry.number();
    LogTail now = log.tailDownTo(number);
    boolean isGone = log.isOfAnother(entry, now);
    Map<Long, Later> known =
        before.stream().collect(Collectors.toMap(Later::number, Function.identity()));
    List<Later> found = new ArrayList<>();
    for (long later : now.numbers()) {
      Optional<EntryKind> kind = now.marker(later).map(Marker::kind);
      if (known.containsKey(later)) {
        found.add(known.get(later));
      } else if (later > number && kind.filter(it -> it != EntryKind.REPLACE).isEmpty()) {
        // Not kept as a whole: there may be thousands, with their plans.
        log.read(later)
            .filter(it -> it.kind() == EntryKind.REPLACE)
            .map(it -> new Later(later, it.replaced(), !isGone && it.follows().contains(number)))
            .ifPresent(found::add);
      }
    }
    return new LaterEntries(entry, now, isGone, found);
  }

  /** Whether another process has ended the entry, also where it was deleted since as old. */
  boolean isEnded() {
    return !isGone && tail.isEnded(entry.number());
  }

  /**
   * Whether nothing is left to do for a directory: the entry has ended, or a later one replaces it.
   */
  boolean isEndedOrReplaced(Path directory) {
    return isEnded() || isReplaced(directory);
  }

  /** Whether a later entry, which may be open, replaces a directory. */
  boolean isReplaced(Path directory) {
    return overwrites.stream().anyMatch(it -> it.replaced().contains(directory));
  }

  /** Whether a later entry that has ended has replaced a directory. */
  boolean isReplacedForGood(Path directory) {
    return overwrites.stream()
        .anyMatch(it -> tail.isEnded(it.number()) && it.replaced().contains(directory));
  }

  /** Whether a later entry that replaces something is left to an operator. */
  public boolean isLeft() {
    return overwrites.stream().anyMatch(it -> tail.state(it.number()) == EntryState.LEFT);
  }

  /**
   * Whether no file of the entry in a directory can appear, because a later one that follows it was
   * executed.
   */
  boolean isFinalized(Path directory) {
    return overwrites.stream()
        .anyMatch(
            it ->
                it.follows()
                    && tail.state(it.number()).isExecuted()
                    && it.replaced().contains(directory));
  }
}
