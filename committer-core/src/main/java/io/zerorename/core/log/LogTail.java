package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.EntryNames.Marker;
import io.zerorename.core.records.RecordStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The newest entries of a log, as one listing shows them: their numbers, when they were written,
 * and which have ended. However old the table is, it reaches down to the lowest entry that may not
 * be quiet, and no further.
 *
 * <p>An entry is <em>quiet</em> when nothing that any of its executors has sent can take effect any
 * more. See the protocol page, "Deciding".
 */
public final class LogTail {
  /**
   * The longest window of an executor, in which it may PUT small files. S3 refuses a request that
   * was signed longer ago (<a
   * href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html">
   * Authenticating Requests</a>), with what two clocks may differ.
   */
  static final Duration LONGEST_WINDOW = Duration.ofMinutes(15).plusSeconds(90);

  /** S3 may work for minutes on a Complete, in which there is neither upload nor object. */
  static final Duration LONGEST_COMPLETE = Duration.ofMinutes(5);

  /** Stores tell the time of a record to the second, and a job's clock may be ahead of theirs. */
  private static final Duration BLUR = Duration.ofMinutes(1);

  private final NavigableMap<Long, Slot> slots;
  private final Instant listed;

  /** An entry whose executor may have ended. */
  private record Slot(Instant written, Optional<Ended> ended) {}

  private record Ended(Marker marker, Instant at) {}

  private LogTail(NavigableMap<Long, Slot> slots, Instant listed) {
    this.slots = slots;
    this.listed = requireNonNull(listed, "listed");
  }

  /**
   * Reads it. One request, and one more for each 1,000 records of entries that may not be quiet.
   *
   * @param back how far to read in any case, by the clock of the store; for a job that may have
   *     been decided since then
   */
  static LogTail read(RecordStore records, Optional<Instant> back) throws IOException {
    NavigableMap<Long, Slot> slots = new TreeMap<>();
    OptionalLong lowest = OptionalLong.empty();
    Iterator<RecordStore.Entry> listing = records.listing(EntryNames.LOG);
    while (listing.hasNext()) {
      RecordStore.Entry record = listing.next();
      Optional<EntryNames.Parsed> name = EntryNames.parse(record.name());
      if (name.isEmpty()) {
        continue;
      }
      long number = name.get().number();
      boolean needed = back.isPresent() && !record.written().isBefore(back.get().minus(BLUR));
      if (lowest.isPresent() && number < lowest.getAsLong() && !needed) {
        break;
      }
      Optional<Marker> marker = name.get().marker();
      if (marker.isEmpty()) {
        slots.put(number, new Slot(record.written(), Optional.empty()));
      } else if (slots.containsKey(number)) {
        // A marker without its entry is left of a log that was cut.
        slots.put(
            number,
            new Slot(
                slots.get(number).written(),
                Optional.of(new Ended(marker.get(), record.written()))));
        if (lowest.isEmpty()) {
          lowest = OptionalLong.of(marker.get().lowest());
        }
      }
    }
    return new LogTail(slots, records.now());
  }

  /** The highest number; 0 in an empty log. */
  long highest() {
    return slots.isEmpty() ? 0 : slots.lastKey();
  }

  /** When the log was listed, by the clock of the store. */
  Instant listed() {
    return listed;
  }

  /** The numbers of the entries that may not be quiet, in ascending order. */
  List<Long> open() {
    return slots.keySet().stream().filter(number -> !isQuiet(number)).toList();
  }

  /** The lowest number that is not quiet; that of the next entry where all are. */
  long lowest() {
    List<Long> open = open();
    return open.isEmpty() ? highest() + 1 : open.get(0);
  }

  /** Whether the executor of an entry has ended, in whatever way. */
  boolean hasEnded(long number) {
    return slots.containsKey(number) && slots.get(number).ended().isPresent();
  }

  /** The numbers of the entries whose executors have not ended, the newest first. */
  List<Long> notEnded() {
    return slots.descendingMap().entrySet().stream()
        .filter(it -> it.getValue().ended().isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Whether an entry was executed to its end, by its own executor or another. */
  boolean isDone(long target) {
    return endOf(target).isPresent();
  }

  /** The number of the ended entry that has decided a job, as far as the tail reaches. */
  OptionalLong ended(String jobId) {
    return slots.values().stream()
        .flatMap(slot -> slot.ended().stream())
        .map(Ended::marker)
        .filter(marker -> marker.jobId().equals(jobId) && marker.target() == marker.number())
        .mapToLong(Marker::number)
        .findFirst();
  }

  private boolean isQuiet(long number) {
    Slot slot = slots.get(number);
    if (slot.ended().isPresent() && slot.ended().get().marker().ending() != Ending.DOUBTFUL) {
      return true;
    }
    // By time: its window is over, and what it executed ended longer ago than a Complete can take.
    long target = slot.ended().map(ended -> ended.marker().target()).orElse(number);
    return slot.written().plus(LONGEST_WINDOW).isBefore(listed)
        && endOf(target)
            .filter(end -> end.at().plus(LONGEST_COMPLETE).isBefore(listed))
            .isPresent();
  }

  /** The first end of an entry. */
  private Optional<Ended> endOf(long target) {
    return slots.values().stream()
        .flatMap(slot -> slot.ended().stream())
        .filter(ended -> ended.marker().target() == target)
        .filter(ended -> ended.marker().ending().endsTarget())
        .min((one, other) -> one.at().compareTo(other.at()));
  }
}
