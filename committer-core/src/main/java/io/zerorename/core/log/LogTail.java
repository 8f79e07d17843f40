package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.recordstore.LogRecords;
import io.zerorename.core.recordstore.RecordStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The newest entries of a log, as one listing shows them: their numbers, when they were written,
 * and which have ended. However old the table is, it reaches down to the lowest entry that may not
 * be quiet, and no further.
 *
 * <p>An entry is <em>quiet</em> when nothing that any of its executors has sent can take effect any
 * more: a Complete works once, and who ends an entry has seen that each of its files is there, or
 * can never be. See the protocol page, "The log" and "Endings". What is asked, by whom, and what
 * must be there for a yes:
 *
 * <pre>
 * of an entry n, its own markers and those of its target
 *   isQuiet            it or its target was ended                what a job follows; recovery;
 *                                                                the lowest number to read
 *   isQuietSince       quiet, by what is older than a time       the cut
 *   isOver             its target was ended or cut               recovery, which then ends it
 * of a target t, the markers of all that executed it; one below all that were listed is done
 *   isDone             complete, damaged, superseded             is anything left to do, by any
 *                                                                process?
 *   isInPlace          any but left                              are all files final, so that the
 *                                                                metastore alone may be open?
 *   isExecuted         complete, metastore-open                  did it finalize what it follows?
 *   isLeft             left                                      must an operator decide?
 *   isDamaged          damaged                                   are files of it lost?
 * of all entries
 *   notQuiet           those that are not quiet                  what a job follows; recovery
 *   unfinished         not quiet, and their target is not done   are files of others yet to appear?
 *   notEnded           without a marker of their own             whose executor may be alive?
 * </pre>
 */
public final class LogTail {
  /** S3 may work for minutes on a Complete, in which there is neither upload nor object. */
  public static final Duration LONGEST_COMPLETE = Duration.ofMinutes(5);

  /** How far a time of the store's or this machine's clock may be off: each is set at times. */
  private static final Duration BLUR = Duration.ofMinutes(16);

  private final NavigableMap<Long, Slot> slots;
  private final Instant listed;

  /** Those of its entries that were read, which are not read again. */
  private final Map<Long, LogEntry> known = new ConcurrentHashMap<>();

  /** An entry, and how executors of it, or in its place, have ended. */
  private record Slot(Instant written, List<Ended> ends) {}

  private record Ended(Marker marker, Instant at) {}

  private LogTail(NavigableMap<Long, Slot> slots, Instant listed) {
    this.slots = slots;
    this.listed = requireNonNull(listed, "listed");
  }

  /**
   * Reads it. One request, and one more for each 1,000 records that are needed.
   *
   * @param back how far to read in any case; for a job that may have been decided since then
   * @param down to which number to read in any case
   */
  static LogTail read(LogRecords records, Optional<Instant> back, OptionalLong down)
      throws IOException {
    Instant before = records.now();
    NavigableMap<Long, Slot> slots = new TreeMap<>();
    OptionalLong lowest = OptionalLong.empty();
    RemoteIterator<RecordStore.Entry> listing = records.list(EntryNames.LOG);
    // The first answer also has the time of the store.
    boolean empty = !listing.hasNext();
    Instant after = records.now();
    // The process may have slept behind the answer.
    Instant listed = before.isBefore(after) ? before : after;
    Optional<Instant> since = back.map(it -> onClockOf(after, it).minus(BLUR));
    while (!empty && listing.hasNext()) {
      RecordStore.Entry record = listing.next();
      Optional<EntryNames.Parsed> name = EntryNames.parse(record.name());
      if (name.isEmpty()) {
        continue;
      }
      long number = name.get().number();
      boolean needed =
          (since.isPresent() && !record.written().isBefore(since.get()))
              || (down.isPresent() && number >= down.getAsLong());
      if (lowest.isPresent() && number < lowest.getAsLong() && !needed) {
        break;
      }
      Optional<Marker> marker = name.get().marker();
      if (marker.isEmpty()) {
        slots.put(number, new Slot(record.written(), new ArrayList<>()));
      } else if (slots.containsKey(number)) {
        // One without its entry is left of a log that was cut.
        slots.get(number).ends.add(new Ended(marker.get(), record.written()));
        if (lowest.isEmpty()) {
          lowest = OptionalLong.of(marker.get().lowest());
        }
      }
    }
    return new LogTail(slots, listed);
  }

  /**
   * A time of this machine's clock, or of the store's, by the latter: the earlier of both readings.
   * One that lies ahead is of neither, and says nothing.
   *
   * @param now by the store's clock
   */
  private static Instant onClockOf(Instant now, Instant time) {
    Instant converted = time.plus(Duration.between(Instant.now(), now));
    Instant earlier = converted.isBefore(time) ? converted : time;
    return earlier.isAfter(now.plus(BLUR)) ? Instant.EPOCH : earlier;
  }

  /** An entry, where it was read. */
  public Optional<LogEntry> known(long number) {
    return Optional.ofNullable(known.get(number));
  }

  /** Keeps an entry that was read. */
  void know(LogEntry entry) {
    known.put(entry.number(), entry);
  }

  /** The highest number; 0 in an empty log. */
  public long highest() {
    return slots.isEmpty() ? 0 : slots.lastKey();
  }

  /** When the log was listed, by the clock of the store. */
  Instant listed() {
    return listed;
  }

  /** When an entry was written; by the clock of the store. */
  public Instant written(long number) {
    return slots.get(number).written;
  }

  /** Whether an entry was written longer ago than that when the log was listed. */
  public boolean isOlderThan(long number, Duration age) {
    return slots.containsKey(number) && slots.get(number).written.plus(age).isBefore(listed);
  }

  /** All numbers that were listed, in ascending order. */
  public List<Long> numbers() {
    return List.copyOf(slots.keySet());
  }

  /** The numbers of the entries that are not quiet, in ascending order. */
  public List<Long> notQuiet() {
    return slots.keySet().stream().filter(number -> !isQuiet(number)).toList();
  }

  /** The lowest number that is not quiet; that of the next entry where all are. */
  long lowest() {
    List<Long> notQuiet = notQuiet();
    return notQuiet.isEmpty() ? highest() + 1 : notQuiet.get(0);
  }

  /** The numbers of the entries for which something is left to do, as far as names say. */
  public List<Long> unfinished() {
    return slots.keySet().stream()
        .filter(number -> !isQuiet(number) && !isDone(target(number)))
        .toList();
  }

  /** The numbers of the entries whose executors have not ended, the newest first. */
  public List<Long> notEnded() {
    return slots.descendingMap().entrySet().stream()
        .filter(it -> it.getValue().ends.isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Whether nothing is left to do for an entry, by any executor. */
  public boolean isDone(long target) {
    return isBelow(target) || endOf(target).isPresent();
  }

  /** Whether an entry lies below all that were listed: it is quiet, or was deleted. */
  private boolean isBelow(long number) {
    return !slots.isEmpty() && number < slots.firstKey();
  }

  /** The entry that an ended one has executed: another, or itself, as one that has not ended. */
  public long target(long number) {
    return marker(number).map(Marker::target).orElse(number);
  }

  /** Whether every file of an entry is final, though the metastore may be open. */
  public boolean isInPlace(long target) {
    return isBelow(target) || markersOf(target).stream().anyMatch(it -> it.ending() != Ending.LEFT);
  }

  /** Whether an executor has completed an entry: each file that it follows is final. */
  public boolean isExecuted(long target) {
    return markersOf(target).stream().anyMatch(marker -> marker.ending().isOfExecuted());
  }

  /** Whether a process has tried to execute an entry of another, and left it to the operator. */
  public boolean isLeft(long target) {
    return markersOf(target).stream().anyMatch(it -> it.ending() == Ending.LEFT);
  }

  /** Whether an executor of an entry has found that files of it are lost. */
  public boolean isDamaged(long target) {
    return markersOf(target).stream().anyMatch(it -> it.ending() == Ending.DAMAGED);
  }

  /** A marker of an entry whose executor has ended: its kind, its target, its job. */
  public Optional<Marker> marker(long number) {
    return markers(number).stream().findFirst();
  }

  /** The markers of an entry. */
  public List<Marker> markers(long number) {
    return Optional.ofNullable(slots.get(number)).stream()
        .flatMap(slot -> slot.ends.stream())
        .map(Ended::marker)
        .toList();
  }

  /** The markers of all who have executed an entry. */
  public List<Marker> markersOf(long target) {
    return ends().map(Ended::marker).filter(marker -> marker.target() == target).toList();
  }

  /** The number of the ended entry that has decided a job, as far as the tail reaches. */
  OptionalLong ended(String jobId) {
    return ends()
        .map(Ended::marker)
        .filter(marker -> marker.jobId().equals(jobId) && marker.target() == marker.number())
        .mapToLong(Marker::number)
        .findFirst();
  }

  /** Whether nothing that an executor of the entry has sent can take effect any more. */
  boolean isQuiet(long number) {
    return markers(number).stream().anyMatch(it -> it.ending().isCertain())
        || endOf(target(number)).isPresent();
  }

  /** Whether it is quiet, and what makes it so was written before a time. */
  boolean isQuietSince(long number, Instant before) {
    return isQuiet(number)
        && Stream.concat(slots.get(number).ends.stream(), endOf(target(number)).stream())
            .allMatch(end -> end.at().isBefore(before));
  }

  /**
   * Whether an executor without a marker has nothing left to do: what it executed was ended by
   * another. An entry that was cut since it was read is not: nothing is to be written for it.
   *
   * @param entry of a log whose tail reaches down to its target, which is absent only where it was
   *     cut
   */
  public boolean isOver(LogEntry entry) {
    return slots.containsKey(entry.number())
        && (!slots.containsKey(entry.target()) || endOf(entry.target()).isPresent());
  }

  /** The first end of an entry. */
  private Optional<Ended> endOf(long target) {
    return ends()
        .filter(ended -> ended.marker().target() == target)
        .filter(ended -> ended.marker().ending().endsTarget())
        .min(Comparator.comparing(Ended::at));
  }

  private Stream<Ended> ends() {
    return slots.values().stream().flatMap(slot -> slot.ends.stream());
  }
}
