package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.recordstore.LogRecords;
import io.zerorename.core.recordstore.NotWrittenException;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * The commit log of one destination: numbered entries, each of them written once. The entry of a
 * job is its decision, its plan and its place in the order of all jobs, in one conditional request.
 * {@link EntryNames} shows what lies where; the protocol page says why.
 */
public final class CommitLog {
  /** How long entries stay at least. */
  public static final int KEPT_DAYS = 7;

  private final LogRecords records;
  private final Path directory;
  private final EntryWrite write;

  /**
   * @param directory where the records lie, in a bucket
   */
  public CommitLog(LogRecords records, Path directory) {
    this.records = requireNonNull(records, "records");
    this.directory = requireNonNull(directory, "directory");
    this.write = new EntryWrite(this, records);
  }

  /** A log below a path of a bucket whose store has conditional writes. */
  public static CommitLog inBucket(ObjectStores stores, Path directory) {
    return new CommitLog(new ObjectRecords(stores, directory), directory);
  }

  /** Where its records lie. */
  public Path directory() {
    return directory;
  }

  /** The newest entries. One request. */
  public LogTail tail() throws IOException {
    return LogTail.read(records, Optional.empty(), OptionalLong.empty());
  }

  /**
   * The newest entries, and all since a time. One request per 1,000 records.
   *
   * @param begun when a job was set up, of which it is not known whether it is decided
   */
  public LogTail tailSince(Instant begun) throws IOException {
    return LogTail.read(records, Optional.of(begun), OptionalLong.empty());
  }

  /** The newest entries, and all down to a number. One request per 1,000 records. */
  public LogTail tailDownTo(long number) throws IOException {
    return LogTail.read(records, Optional.empty(), OptionalLong.of(number));
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
  public PlanWriter draft(OutputJob job) {
    return new PlanWriter(job, new ChunkWriter(records, job.id()));
  }

  /** The plan that this process has just written; it is in memory as far as there is room. */
  public CommitPlan planOf(EntryDraft draft, PlanWriter writer) {
    return new CommitPlan(
        records, draft.job(), draft.chunks(), draft.embedded(), writer.kept(), writer.totals());
  }

  /**
   * What an entry does, which decides a job. One request per chunk that does not lie in the entry;
   * each is read now, so that none is found changed in the midst of the work.
   *
   * @throws MalformedManifestException where a chunk is absent or is not what was decided
   */
  public CommitPlan plan(LogEntry entry) throws IOException {
    return CommitPlan.read(records, entry);
  }

  /** Deletes documents of a plan, whether or not they are there. */
  public void delete(Collection<Document> documents) throws IOException {
    records.delete(documents.stream().map(Document::name).toList());
  }

  /**
   * An entry; empty where the number is free. One request.
   *
   * @throws MalformedManifestException where it is damaged, or of another version
   */
  public Optional<LogEntry> read(long number) throws IOException {
    String name = EntryNames.entry(number);
    Optional<byte[]> document = records.get(name);
    return document.isPresent()
        ? Optional.of(EntryJson.read(document.get(), number, records.locate(name)))
        : Optional.empty();
  }

  /** The same. One request for the first caller with this tail: an entry never changes. */
  public Optional<LogEntry> read(long number, LogTail tail) throws IOException {
    Optional<LogEntry> entry = tail.known(number);
    if (entry.isEmpty()) {
      entry = read(number);
      entry.ifPresent(tail::know);
    }
    return entry;
  }

  /** The entry that a number executes, its own or another. One or two requests. */
  public Optional<LogEntry> readTarget(long number, LogTail tail) throws IOException {
    Optional<LogEntry> entry = read(number, tail);
    return entry.isPresent() && entry.get().target() != number
        ? read(entry.get().target(), tail)
        : entry;
  }

  /**
   * The entry that has decided a job, among those of a tail. One request for it, and one for each
   * entry that has not ended.
   */
  public Optional<LogEntry> find(String jobId, LogTail tail) throws IOException {
    OptionalLong ended = tail.ended(jobId);
    if (ended.isPresent()) {
      return read(ended.getAsLong());
    }
    for (long number : tail.notEnded()) {
      Optional<LogEntry> entry = read(number, tail);
      if (entry.filter(it -> it.decides(jobId)).isPresent()) {
        return entry;
      }
    }
    return Optional.empty();
  }

  /**
   * Whether a job is decided, and how: its entry, or that by which it can never commit.
   *
   * @param begun when it was set up; all since then is read
   */
  public Optional<LogEntry> find(String jobId, Instant begun) throws IOException {
    return find(jobId, tailSince(begun));
  }

  /**
   * The entries of a tail that a job has to follow which replaces some directories, with all that
   * those follow. One request for each entry that is not quiet.
   */
  public SortedSet<Long> following(DirectorySet replaces, LogTail tail) throws IOException {
    SortedSet<Long> follows = new TreeSet<>();
    for (long number : replaces.isEmpty() ? List.<Long>of() : tail.notQuiet()) {
      read(number, tail).ifPresent(entry -> follow(entry, replaces, follows));
    }
    return follows;
  }

  /**
   * The entries above a number that overlap some directories, quiet or not, with all that those
   * follow. One request for each entry above the number.
   */
  public SortedSet<Long> followingSince(long since, DirectorySet replaces, LogTail tail)
      throws IOException {
    SortedSet<Long> follows = new TreeSet<>();
    for (long number : tail.numbers()) {
      if (number > since) {
        read(number, tail).ifPresent(entry -> follow(entry, replaces, follows));
      }
    }
    return follows;
  }

  /**
   * Decides a job at the first free number. It waits for no other job: a number that another has
   * taken costs one request to read it and one to try the next.
   *
   * @param tail in which no entry of the job was found
   * @return the entry that decides the job: the draft's, or that of an earlier decider, whose
   *     {@link LogEntry#writeId} is another
   * @throws NotWrittenException where it was not decided: it is too late, or the job must be the
   *     only one that writes, and is not
   * @throws IOException where it is not known whether the job was decided; {@link #decideAgainst}
   *     settles that
   */
  public LogEntry decide(EntryDraft draft, LogTail tail) throws IOException {
    return decideWhile(() -> true, draft, tail).orElseThrow();
  }

  /**
   * The same, under a condition that is checked before each number is tried.
   *
   * @return empty where the condition does not hold any more, and nothing was decided
   */
  public Optional<LogEntry> decideWhile(
      CallableRaisingIOE<Boolean> condition, EntryDraft draft, LogTail tail) throws IOException {
    SortedSet<Long> follows = new TreeSet<>(draft.follows());
    for (long number = tail.highest() + 1; condition.apply(); number++) {
      LogEntry there = write.run(draft, number, follows, tail);
      if (there.decides(draft.job().id())) {
        return Optional.of(there);
      }
      tail.know(there);
      // A VOID changes nothing, and a RESUME or GIVEUP only what an earlier entry says. That was in
      // the tail, or its number would have been met before this one; and a job of plain names does
      // not decide beside one that was not complete there.
      if (draft.job().plainNames() && draft.kind().commits() && there.kind().commits()) {
        throw overtaken(draft.job(), there);
      }
      follow(there, draft.replaces(), follows);
    }
    return Optional.empty();
  }

  /** The files of both could have the same names. */
  private static NotWrittenException overtaken(OutputJob job, LogEntry by) {
    return new NotWrittenException(
        new IOException(
            "ZR-1205: %s has been committed to %s at the same time, as entry %s."
                .formatted(by.job().description(), job.destination(), by.number())));
  }

  /** Adds an entry and those that it follows, where it overlaps what is replaced. */
  private static void follow(LogEntry entry, DirectorySet replaces, SortedSet<Long> follows) {
    if (entry.overlaps(replaces)) {
      follows.add(entry.number());
      follows.addAll(entry.follows());
    }
  }

  /**
   * Decides that a job never commits, unless it is decided. It also settles an attempt to decide
   * whose answer was lost: what was sent for a number cannot win that number any more.
   *
   * @param tail that the attempt began with
   * @return the entry that decides the job
   */
  public LogEntry decideAgainst(OutputJob job, LogTail tail) throws IOException {
    return decide(EntryDraft.against(job), tail);
  }

  /**
   * The same, for a job of which nothing but its id is known.
   *
   * @param tail reaches back to the job's begin
   */
  public LogEntry decideAgainst(String jobId, LogTail tail) throws IOException {
    Optional<LogEntry> existing = find(jobId, tail);
    if (existing.isPresent()) {
      return existing.get();
    }
    return decideAgainst(
        new OutputJob(
            jobId,
            "job " + jobId,
            new Path(location()),
            List.of(),
            false,
            Optional.empty(),
            Map.of()),
        tail);
  }

  /**
   * Writes an entry by which this process executes another, whose executor has gone or has left it.
   *
   * @return this process' own entry
   */
  public LogEntry resume(LogEntry target, LogTail tail) throws IOException {
    return execute(EntryDraft.executing(target, EntryKind.RESUME), tail);
  }

  /** Writes an entry by which an operator ends another without the files that are lost. */
  public LogEntry forceClose(LogEntry target, LogTail tail) throws IOException {
    return execute(EntryDraft.executing(target, EntryKind.GIVEUP), tail);
  }

  private LogEntry execute(EntryDraft draft, LogTail tail) throws IOException {
    for (long number = tail.highest() + 1; ; number++) {
      LogEntry there = write.run(draft, number, draft.follows(), tail);
      if (there.writeId().equals(draft.writeId())) {
        return there;
      }
    }
  }

  /**
   * Writes down that this process has ended the execution of its own entry: it has no request under
   * way. One request; repeated it changes nothing.
   */
  public void end(LogEntry entry, Ending ending, EndNote note) throws IOException {
    records.putIfAbsent(EntryNames.marker(Marker.of(entry, ending)), note.toJson());
  }

  /**
   * Ends an entry that cannot be read, or whose plan cannot: what it says is lost.
   *
   * @param entry as far as it can be read
   */
  public void endUnreadable(long number, Optional<LogEntry> entry, LogTail tail)
      throws IOException {
    records.putIfAbsent(
        EntryNames.marker(
            new Marker(
                number,
                Ending.DAMAGED,
                entry.map(LogEntry::kind).orElse(EntryKind.ADD),
                tail.lowest(),
                number,
                entry.map(it -> it.job().id()).orElse("unreadable"))),
        EndNote.NOTHING.toJson());
  }

  /** What the markers say of all who have executed an entry. One request for each. */
  public List<EndNote> ends(long target, LogTail tail) throws IOException {
    List<EndNote> notes = new ArrayList<>();
    for (Marker marker : tail.markersOf(target)) {
      String name = EntryNames.marker(marker);
      Optional<byte[]> document = records.get(name);
      if (document.isPresent()) {
        notes.add(EndNote.read(document.get(), records.locate(name)));
      }
    }
    return notes;
  }

  /**
   * Deletes old entries that no process needs any more, and their documents. One request per 1,000
   * records of the whole log, one for each entry that is not quiet, and two per 1,000 that are
   * deleted.
   *
   * @param before when an entry was written at the latest that is deleted; {@value #KEPT_DAYS} days
   *     ago by the clock of the log, where that is earlier
   * @return how many entries
   */
  public int cut(Instant before) throws IOException {
    return new LogCut(this, records).run(before);
  }
}
