package io.zerorename.core.log;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;

/**
 * The commit log of one destination: numbered entries, each of them written once. The entry of a
 * job is its decision, its plan and its place in the order of all jobs, in one conditional request.
 * {@link EntryNames} shows what lies where; the protocol page says why.
 */
public final class CommitLog {
  /** An entry is not written later than this after the listing that found its number. */
  static final Duration LONGEST_DECISION = Duration.ofDays(1);

  private final ObjectRecords records;

  /** Entries that were read, which are not read again. */
  private final Map<String, LogEntry> entries = new ConcurrentHashMap<>();

  /** Of the objects of entries that this process has written or read, by their writes. */
  private final Map<String, String> etags = new ConcurrentHashMap<>();

  /** A log below a path of a bucket whose store has conditional writes. */
  public CommitLog(ObjectStores stores, Path directory) {
    this.records = new ObjectRecords(stores, directory);
  }

  /** Where its records lie. */
  public Path directory() {
    return records.directory();
  }

  /** The newest entries. One request. */
  public LogTail tail() throws IOException {
    return tailDownTo(Long.MAX_VALUE);
  }

  /**
   * The newest entries, and all since a time. One request per 1,000 records.
   *
   * @param begun when a job was set up, of which it is not known whether it is decided
   */
  public LogTail tailSince(Instant begun) throws IOException {
    return LogTail.read(records, Optional.of(begun), Long.MAX_VALUE, List.of());
  }

  /** The newest entries, and all down to a number. One request per 1,000 records. */
  public LogTail tailDownTo(long number) throws IOException {
    return tailDownTo(number, List.of());
  }

  /** The same, and some below it: one request for each of these. */
  public LogTail tailDownTo(long number, Collection<Long> also) throws IOException {
    return LogTail.read(records, Optional.empty(), number, also);
  }

  /** The clock of the log. */
  public Instant now() throws IOException {
    return records.now();
  }

  /** Where a person finds an entry. */
  public String location(long number) {
    return records.locate(EntryNames.entry(number));
  }

  /** Where a person finds the log. */
  public String location() {
    return records.locate(EntryNames.LOG);
  }

  /** Begins to write the plan of a job. */
  public PlanWriter newPlan(OutputJob job) {
    return new PlanWriter(records, job);
  }

  /**
   * What an entry does, which decides a job. One request per chunk that does not lie in the entry;
   * each is read now, so that none is found changed in the midst of the work.
   *
   * @throws MalformedDocumentException where a chunk is absent or is not what was decided
   */
  public CommitPlan plan(LogEntry entry) throws IOException {
    return CommitPlan.read(records, entry);
  }

  /** Deletes documents of a plan, whether or not they are there. */
  public void delete(Collection<String> documents) throws IOException {
    records.delete(documents);
  }

  /**
   * An entry; empty where the number is free. One request.
   *
   * @throws MalformedDocumentException where it is damaged, or of another version
   */
  public Optional<LogEntry> read(long number) throws IOException {
    return LogEntry.find(number, records);
  }

  /**
   * What a marker of an entry names, so that it counts for no other; empty where its number is not
   * the entry's any more, because the log was deleted. Where it is not known, the entry is listed
   * and read once more.
   */
  private Optional<String> etagOf(LogEntry entry) throws IOException {
    String known = etags.get(entry.writeId());
    if (known != null) {
      return Optional.of(known);
    }
    RemoteIterator<ObjectSummary> listing = records.list(EntryNames.entry(entry.number()));
    String etag = listing.hasNext() ? EntryNames.inName(listing.next().etag()) : "";
    return read(entry.number())
        .filter(there -> there.writeId().equals(entry.writeId()))
        .map(there -> etag);
  }

  /** Keeps what the store has shown: the markers of the entry name it. */
  private void keepEtag(LogEntry entry, String etag) {
    if (!etag.isEmpty()) {
      etags.put(entry.writeId(), EntryNames.inName(etag));
    }
  }

  /** The same. One request the first time: an entry never changes. */
  public Optional<LogEntry> read(long number, LogTail tail) throws IOException {
    LogEntry known = entries.get(version(number, tail));
    if (known != null) {
      return Optional.of(known);
    }
    Optional<LogEntry> entry = read(number);
    entry.ifPresent(it -> entries.put(version(number, tail), it));
    entry.ifPresent(it -> keepEtag(it, tail.etag(number)));
    return entry;
  }

  /**
   * Whether a later tail shows another entry under the number of one, because the log was deleted:
   * then it says nothing of this one. No request where the tail shows the ETag that it had.
   */
  public boolean isOfAnother(LogEntry entry, LogTail tail) throws IOException {
    String etag = tail.etag(entry.number());
    return (etag.isEmpty() || !etag.equals(etags.get(entry.writeId())))
        && read(entry.number(), tail)
            .filter(there -> !there.writeId().equals(entry.writeId()))
            .isPresent();
  }

  /** An entry has another ETag than one that has got its number after the log was deleted. */
  private static String version(long number, LogTail tail) {
    return number + "." + tail.etag(number);
  }

  /** The entry that has decided a job of which nothing but its id is known. */
  public Optional<LogEntry> find(String jobId, LogTail tail) throws IOException {
    return find(known(jobId), tail);
  }

  private OutputJob known(String jobId) {
    return new OutputJob(jobId, "job " + jobId, List.of(new Path(location())));
  }

  /**
   * The entry that has decided a job, or committed its run, among those of a tail. One request for
   * it, and one for each entry that has not ended.
   *
   * @param tail reaches back to the job's begin; of a job with a run, to the begin of the log
   */
  public Optional<LogEntry> find(OutputJob job, LogTail tail) throws IOException {
    OptionalLong marked = tail.marked(job);
    if (marked.isPresent()) {
      // A name alone proves nothing: another entry may have the number of one that was deleted.
      return read(marked.getAsLong(), tail).filter(it -> it.decides(job));
    }
    for (long number : tail.open()) {
      Optional<LogEntry> entry = read(number, tail);
      if (entry.filter(it -> it.decides(job)).isPresent()) {
        return entry;
      }
    }
    return Optional.empty();
  }

  /**
   * Those of some entries that overlap directories, whether or not they have ended. One request for
   * each of the entries.
   */
  public SortedSet<Long> overlapping(
      Collection<Long> numbers, DirectorySet directories, LogTail tail) throws IOException {
    SortedSet<Long> overlapping = new TreeSet<>();
    for (long number : directories.isEmpty() ? List.<Long>of() : numbers) {
      if (read(number, tail).filter(entry -> entry.overlaps(directories)).isPresent()) {
        overlapping.add(number);
      }
    }
    return overlapping;
  }

  /**
   * Decides a job at the first free number. It waits for no other job: a number that another has
   * taken costs one request to read it and one to try the next.
   *
   * @param condition checked before each number is tried; gets the entries that have taken numbers
   *     above the tail
   * @param tail in which no entry of the job was found
   * @return the entry that decides the job: the draft's, or that of an earlier decider, whose
   *     {@link LogEntry#writeId} is another; empty where the condition does not hold any more, and
   *     nothing was decided
   * @throws NotWrittenException where it was not decided: it is too late, or the job must be the
   *     only one that writes, and is not
   * @throws IOException where it is not known whether the job was decided; {@link #decideAgainst}
   *     settles that
   */
  public Optional<LogEntry> decideWhile(
      FunctionRaisingIOE<List<LogEntry>, Boolean> condition, LogEntry draft, LogTail tail)
      throws IOException {
    List<LogEntry> met = new ArrayList<>();
    DirectorySet replaced = draft.replaced();
    SortedSet<Long> follows = new TreeSet<>(draft.follows());
    SortedSet<Long> open = new TreeSet<>(tail.open());
    for (long number = tail.highest() + 1; condition.apply(met); number++) {
      LogEntry there = write(draft, number, follows, open, tail);
      if (there.decides(draft.job())) {
        return Optional.of(there);
      }
      entries.put(version(number, tail), there);
      open.add(number);
      if (draft.job().plainNames() && draft.kind().commits() && there.kind().commits()) {
        // The files of both could have the same names.
        throw new NotWrittenException(
            new IOException(
                "ZR-1205: %s has been committed to %s at the same time, as entry %s."
                    .formatted(there.job().description(), draft.job().destination(), number)));
      }
      if (there.overlaps(replaced)) {
        follows.add(number);
      }
      met.add(there);
    }
    return Optional.empty();
  }

  /**
   * One conditional request: this is where a job is decided. Of several processes that try a number
   * one gets it, and the others learn what is there.
   *
   * @throws NotWrittenException where it was not written, and no request is under way
   */
  private LogEntry write(
      LogEntry draft, long number, SortedSet<Long> follows, SortedSet<Long> open, LogTail tail)
      throws IOException {
    if (records.now().isAfter(tail.listed().plus(LONGEST_DECISION))) {
      throw new NotWrittenException(
          new IOException(
              ("ZR-1208: The log %s was listed at %s, more than a day ago, so that entry %s may be"
                      + " one that was deleted.")
                  .formatted(location(), tail.listed(), number)));
    }
    LogEntry entry = draft.at(number, follows, open);
    try {
      Optional<String> etag = records.write(EntryNames.entry(number), LogEntry.JSON.write(entry));
      if (etag.isPresent()) {
        keepEtag(entry, etag.get());
        return entry;
      }
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.AMBIGUOUS) {
        throw new NotWrittenException(e);
      }
      // The entry may be there, or come yet.
      return read(number).orElseThrow(() -> e);
    }
    String vanished =
        "ZR-1209: Entry %s was there and is gone: this process has slept for days, or something"
            + " deletes the committer's records";
    return read(number).orElseThrow(() -> new IOException(vanished.formatted(location(number))));
  }

  /**
   * Decides that a job never commits, unless it is decided. It also settles an attempt to decide
   * whose answer was lost: what was sent for a number cannot win that number any more.
   *
   * @param tail that the attempt began with
   * @return the entry that decides the job
   */
  public LogEntry decideAgainst(OutputJob job, LogTail tail) throws IOException {
    return decideWhile(met -> true, LogEntry.against(job), tail).orElseThrow();
  }

  /**
   * The same, for a job of which nothing but its id is known.
   *
   * @param tail reaches back to the job's begin
   */
  public LogEntry decideAgainst(String jobId, LogTail tail) throws IOException {
    Optional<LogEntry> existing = find(jobId, tail);
    return existing.isPresent() ? existing.get() : decideAgainst(known(jobId), tail);
  }

  /**
   * Writes down how far an entry is, as a process has seen it that has executed it. One request,
   * and two where the entry was written by another process; repeated it changes nothing.
   */
  public void mark(LogEntry entry, EntryState state, EndNote note) throws IOException {
    Optional<String> etag = etagOf(entry);
    if (etag.isEmpty()) {
      return;
    }
    Marker marker = Marker.of(entry, etag.get(), state);
    if (!mark(marker, note) && state == EntryState.LEFT && !note.lost().isEmpty()) {
      // The one that is there may be of a process that has only looked.
      records.delete(List.of(EntryNames.marker(marker)));
      mark(marker, note);
    }
  }

  /**
   * Marks an entry that cannot be read in whole, or whose plan cannot: what it says is lost.
   *
   * @param state {@link EntryState#GIVEN_UP}, and later {@link EntryState#DAMAGED}
   */
  public void markUnreadable(long number, Optional<LogEntry> entry, LogTail tail, EntryState state)
      throws IOException {
    mark(
        new Marker(
            number,
            state,
            // Of a REPLACE that has ended others believe that what it follows is finalized.
            EntryKind.ADD,
            tail.etag(number),
            Optional.of(tail.open().headSet(number)),
            entry.map(it -> it.job().runInName()).orElse(""),
            entry.map(it -> it.job().id()).orElse("unreadable")),
        EndNote.NOTHING);
  }

  private boolean mark(Marker marker, EndNote note) throws IOException {
    return records.putIfAbsent(EntryNames.marker(marker), EndNote.JSON.write(note));
  }

  /**
   * What the markers of an entry say that has ended, or is executed, or else those of one that has
   * not. One request each.
   */
  public List<EndNote> notes(long number, LogTail tail) throws IOException {
    EntryState now = tail.state(number);
    List<EndNote> notes = new ArrayList<>();
    for (Marker marker : tail.markers(number)) {
      boolean counts =
          now == EntryState.METASTORE_OPEN
              ? marker.state() == now
              : marker.state().isEnded() == now.isEnded();
      String name = EntryNames.marker(marker);
      Optional<byte[]> document = counts ? records.get(name) : Optional.empty();
      if (document.isPresent()) {
        notes.add(EndNote.JSON.read(document.get(), records.locate(name), EndNote.class));
      }
    }
    return notes;
  }

  /** The files that these notes call lost. */
  public List<Path> lost(long number, LogTail tail) throws IOException {
    return notes(number, tail).stream().flatMap(it -> it.lost().stream()).distinct().toList();
  }

  /**
   * Deletes entries that are older than some days, and that no process needs any more, and their
   * documents. One request per 1,000 records of the whole log, one for each entry that has not
   * ended, and two per 1,000 that are deleted. Returns how many entries.
   *
   * @param days see {@link CoreKeys#LOG_DAYS}
   */
  public int cut(int days) throws IOException {
    return new LogCut(this, records, Duration.ofDays(days)).run();
  }
}
