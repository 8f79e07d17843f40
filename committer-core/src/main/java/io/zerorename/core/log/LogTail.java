package io.zerorename.core.log;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The newest entries of a log, as one listing shows them: their numbers, when they were written,
 * and the {@link EntryState} of each. However old the table is, it shows each entry that has not
 * ended: the name of a marker says which lower ones had not when its entry was decided. One that
 * lies far below the others, because it never ends, costs one request more.
 */
public final class LogTail {
  /** How far a time of the store's or this machine's clock may be off: each is set at times. */
  private static final Duration BLUR = Duration.ofMinutes(16);

  private final NavigableMap<Long, Slot> slots;
  private final Instant listed;

  /** An entry and its markers. */
  private record Slot(Instant written, String etag, List<Marked> marks) {
    EntryState state() {
      return marks.stream()
          .map(it -> it.marker().state())
          .max(Comparator.naturalOrder())
          .orElse(EntryState.OPEN);
    }
  }

  private record Marked(Marker marker, Instant at) {}

  /**
   * The newest entry that says which lower ones had not ended when it was decided.
   *
   * @param open those
   */
  private record Base(long number, SortedSet<Long> open) {}

  private LogTail(NavigableMap<Long, Slot> slots, Instant listed) {
    this.slots = slots;
    this.listed = listed;
  }

  /**
   * Reads it. One request, one more for each further 1,000 records that are needed, and one for
   * each open entry below; and one for these where they are many. One more where the clock of this
   * machine is wrong and the store has not told its time yet.
   *
   * @param back how far to read in any case; for a job that may have been decided since then
   * @param down to which number to read in any case
   * @param also numbers to look at in any case
   */
  static LogTail read(
      ObjectRecords records, Optional<Instant> back, long down, Collection<Long> also)
      throws IOException {
    Instant before = records.now();
    NavigableMap<Long, Slot> slots = new TreeMap<>();
    RemoteIterator<ObjectSummary> listing = records.list(EntryNames.LOG);
    // The first answer also has the time of the store.
    boolean more = listing.hasNext();
    Instant after = records.now();
    if (Duration.between(before, after).abs().compareTo(BLUR) > 0) {
      // It was the store's first answer, and this machine's clock is wrong. Or the process has
      // slept.
      before = after;
      listing = records.list(EntryNames.LOG);
      more = listing.hasNext();
      after = records.now();
    }
    // As old as the earlier reading: the process may have slept since the store has answered.
    Instant listed = before.isBefore(after) ? before : after;
    Instant now = after;
    Optional<Instant> since = back.map(it -> onClockOf(now, it).minus(BLUR));
    Optional<Base> base = Optional.empty();
    boolean stopped = false;
    for (int count = 1; more; count++) {
      ObjectSummary record = listing.next();
      Optional<Marker> marker = put(record, slots);
      if (base.isEmpty() && marker.isPresent()) {
        base = base(marker.get(), records);
      }
      boolean needed =
          base.isEmpty()
              || slots.firstKey() >= base.get().number()
              || since.filter(it -> !record.lastModified().isBefore(it)).isPresent()
              || slots.firstKey() >= down;
      // What is in an answer costs no request.
      stopped = !needed && count % ObjectStore.PAGE_SIZE == 0;
      more = !stopped && listing.hasNext();
    }
    if (stopped) {
      // Its markers may come with the next answer.
      slots.pollFirstEntry();
    }
    Set<Long> below = new TreeSet<>(also);
    base.map(Base::open).ifPresent(below::addAll);
    below.removeAll(slots.keySet());
    for (long number : below) {
      RemoteIterators.foreach(records.list(EntryNames.entry(number)), record -> put(record, slots));
    }
    return new LogTail(slots, listed);
  }

  /** Adds a record, and returns the marker that it is: one that belongs to the entry before it. */
  private static Optional<Marker> put(ObjectSummary record, NavigableMap<Long, Slot> slots) {
    Optional<EntryNames.Parsed> name = EntryNames.parse(record.key());
    if (name.isEmpty()) {
      return Optional.empty();
    }
    long number = name.get().number();
    Optional<Marker> marker = name.get().marker();
    if (marker.isEmpty()) {
      String etag = EntryNames.inName(record.etag());
      slots.put(number, new Slot(record.lastModified(), etag, new ArrayList<>()));
      return Optional.empty();
    }
    // One without its entry is left of a log that was cut; one of another ETag, of a log that was
    // deleted.
    Slot slot = slots.get(number);
    String etag = marker.get().etag();
    if (slot == null || !(etag.isEmpty() || slot.etag.isEmpty() || etag.equals(slot.etag))) {
      return Optional.empty();
    }
    slot.marks.add(new Marked(marker.get(), record.lastModified()));
    return marker;
  }

  /** One request where the entry has to be read, and empty where it cannot be. */
  private static Optional<Base> base(Marker marker, ObjectRecords records) throws IOException {
    long number = marker.number();
    if (marker.open().isPresent()) {
      return Optional.of(new Base(number, marker.open().get()));
    }
    try {
      return LogEntry.find(number, records).map(it -> new Base(number, it.open()));
    } catch (MalformedDocumentException e) {
      // An older one has a marker, too; a recovery reports this one unless it has ended.
      return Optional.empty();
    }
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

  /** The highest number; 0 in an empty log. */
  public long highest() {
    return slots.isEmpty() ? 0 : slots.lastKey();
  }

  /** When the log was listed, by the clock of the store. */
  public Instant listed() {
    return listed;
  }

  /** Whether its highest entry is of another day than a time of the log's clock. */
  public boolean isOfEarlierDay(Instant now) {
    return !slots.isEmpty()
        && !written(highest())
            .truncatedTo(ChronoUnit.DAYS)
            .equals(now.truncatedTo(ChronoUnit.DAYS));
  }

  /** When an entry was written; by the clock of the store. */
  public Instant written(long number) {
    return slots.get(number).written;
  }

  /** All numbers that were listed, in ascending order. */
  public List<Long> numbers() {
    return List.copyOf(slots.keySet());
  }

  /** The numbers above one, in ascending order. */
  public List<Long> above(long number) {
    return List.copyOf(slots.tailMap(number, false).keySet());
  }

  /** The numbers of the entries that have not ended, in ascending order. */
  public SortedSet<Long> open() {
    SortedSet<Long> open = new TreeSet<>(slots.keySet());
    open.removeIf(number -> slots.get(number).state().isEnded());
    return open;
  }

  /** How far an entry is; one that is not listed was cut, or has ended before the others. */
  public EntryState state(long number) {
    Slot slot = slots.get(number);
    if (slot == null) {
      return number <= highest() ? EntryState.COMPLETE : EntryState.OPEN;
    }
    return slot.state();
  }

  /** Whether nothing is left to do for an entry. */
  public boolean isEnded(long number) {
    return state(number).isEnded();
  }

  /** Whether an operator has given up the files of an entry that are lost. */
  public boolean isGivenUp(long number) {
    return wasGivenUpBefore(number, Instant.MAX);
  }

  /** Whether an operator had given it up before a time. */
  public boolean wasGivenUpBefore(long number, Instant time) {
    return marks(number).stream()
        .filter(it -> it.marker().state() == EntryState.GIVEN_UP)
        .anyMatch(it -> it.at().isBefore(time));
  }

  /** Empty where it is not known. */
  String etag(long number) {
    return Optional.ofNullable(slots.get(number)).map(Slot::etag).orElse("");
  }

  /** A marker of an entry: its kind, its job. */
  public Optional<Marker> marker(long number) {
    return markers(number).stream().findFirst();
  }

  List<Marker> markers(long number) {
    return marks(number).stream().map(Marked::marker).toList();
  }

  private List<Marked> marks(long number) {
    return Optional.ofNullable(slots.get(number)).map(Slot::marks).orElse(List.of());
  }

  /** The number of the entry that has decided a job or its run, among those that have a marker. */
  OptionalLong marked(OutputJob job) {
    return slots.keySet().stream()
        .filter(number -> markers(number).stream().anyMatch(it -> it.decides(job)))
        .mapToLong(number -> number)
        .findFirst();
  }

  /** Whether an entry has ended, and all of its markers were written before a time. */
  boolean hasEndedBefore(long number, Instant time) {
    return isEnded(number) && marks(number).stream().allMatch(it -> it.at().isBefore(time));
  }
}
