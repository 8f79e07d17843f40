package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.records.FileRecords;
import io.zerorename.core.records.NotWrittenException;
import io.zerorename.core.records.ObjectRecords;
import io.zerorename.core.records.RecordStore;
import io.zerorename.core.store.ObjectStores;
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
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The commit log of one destination: numbered entries, each of them written once. The entry of a
 * job is its decision, its plan and its place in the order of all jobs, in one conditional request.
 * {@link EntryNames} shows what lies where; the protocol page says why.
 */
public final class CommitLog {
  /** An entry is not written later than this after the listing that found its number. */
  private static final Duration LONGEST_DECISION = Duration.ofDays(1);

  /** The store refuses a request that was signed longer ago. */
  private static final Duration SIGNATURE = Duration.ofMinutes(16);

  private static final int ATTEMPTS = 3;

  /** A last chunk of more files and objects is a document of its own. */
  private static final int EMBEDDED = 1_000;

  private final RecordStore records;
  private final Optional<Path> bucket;

  /**
   * @param bucket where the records lie, if that is in a bucket
   */
  public CommitLog(RecordStore records, Optional<Path> bucket) {
    this.records = requireNonNull(records, "records");
    this.bucket = requireNonNull(bucket, "bucket");
  }

  /** A log below a path of a bucket whose store has conditional writes. */
  public static CommitLog inBucket(ObjectStores stores, Path directory) {
    return new CommitLog(new ObjectRecords(stores, directory), Optional.of(directory));
  }

  /** A log in a directory of a file system whose rename is atomic. */
  public static CommitLog onFileSystem(FileSystem fileSystem, Path directory) {
    return new CommitLog(new FileRecords(fileSystem, directory), Optional.empty());
  }

  /** Where the log lies; empty where that is not in a bucket. */
  public Optional<Path> inBucket() {
    return bucket;
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

  /** Writes a plan down as it is made: all but its last chunk, and the contents of small files. */
  public PlanWriter<Chunk> draft(OutputJob job) {
    return new PlanWriter<>(
        job,
        (write, index, last, part) -> {
          Optional<Document> bytes = Optional.empty();
          PlanPart inMemory = part;
          if (!part.inlined().isEmpty()) {
            byte[] contents = ChunkBytes.join(part.inlined());
            bytes = Optional.of(storeOnce(job.id(), write, index, contents));
            inMemory = part.withContents(contents);
          }
          Optional<Document> plan = Optional.empty();
          if (!last || part.size() > EMBEDDED) {
            plan =
                Optional.of(store(EntryNames.chunk(job.id(), write, index), ChunkJson.write(part)));
          }
          return new PlanWriter.Written<>(new Chunk(plan, bytes), inMemory);
        });
  }

  /**
   * A late copy of the request must not bring contents back that were deleted because nobody may
   * write the files again. So each request has a name of its own, and an entry names the one that
   * was answered.
   */
  private Document storeOnce(String jobId, String write, int index, byte[] contents)
      throws IOException {
    String name = EntryNames.bytes(jobId, write, index);
    for (int attempt = 1; ; attempt++) {
      try {
        if (records.putOnce(name, contents)) {
          return Document.of(name, contents);
        }
        if (attempt == ATTEMPTS) {
          throw new IOException(
              "The contents of small files cannot be written to "
                  + records.locate(name)
                  + ": "
                  + ATTEMPTS
                  + " requests in a row were repeated, because an answer was lost. See to the network.");
        }
      } catch (StoreException e) {
        boolean again =
            e.kind() == StoreException.Kind.AMBIGUOUS || e.kind() == StoreException.Kind.THROTTLED;
        if (!again || attempt == ATTEMPTS) {
          throw e;
        }
      }
      name = EntryNames.bytes(jobId, UUID.randomUUID().toString(), index);
    }
  }

  private Document store(String name, byte[] bytes) throws IOException {
    records.putIfAbsent(name, bytes);
    return Document.of(name, bytes);
  }

  /** The plan that this process has just written down, as far as it is in memory. */
  public CommitPlan planOf(EntryDraft draft, PlanWriter<Chunk> writer) {
    return new CommitPlan(
        draft.job(),
        new EntryParts(records, draft.job(), draft.chunks(), draft.embedded(), writer.kept()),
        writer.totals());
  }

  /** The plan of a job of which nothing is left to do. */
  public CommitPlan nothing(OutputJob job) {
    return new CommitPlan(
        job,
        new EntryParts(records, job, List.of(), Optional.empty(), new ChunkCache()),
        new PlanTotals());
  }

  /**
   * What an entry does, which decides a job. One request per chunk that does not lie in the entry;
   * each is read now, so that none is found changed in the midst of the work.
   *
   * @throws MalformedManifestException where a chunk is absent or is not what was decided
   */
  public CommitPlan plan(LogEntry entry) throws IOException {
    PlanTotals totals = new PlanTotals();
    ChunkCache kept = new ChunkCache();
    EntryParts parts = new EntryParts(records, entry.job(), entry.chunks(), entry.embedded(), kept);
    for (int i = 0; i < parts.count(); i++) {
      PlanPart part = parts.get(i);
      totals.add(i, part);
      kept.offer(i, part);
    }
    return new CommitPlan(entry.job(), parts, totals);
  }

  public Path locate(Document document) {
    return new Path(records.locate(document.name()));
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
        ? Optional.of(EntryJson.read(document.get(), number, records, records.locate(name)))
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
   * @param begun when it was set up; all since then is looked through
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
    for (long number : replaces.isEmpty() ? List.<Long>of() : tail.open()) {
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
   * Decides a job at the first free number. It waits for nobody: a number that another job has
   * taken costs one request to read it and one to try the next.
   *
   * @param tail in which no entry of the job was found
   * @return the entry that decides the job: the draft's, or that of an earlier decider, whose
   *     {@link LogEntry#writeId} is another
   * @throws OvertakenException where the job must be the only one that writes, and is not
   * @throws IOException where it is not known whether the job was decided; {@link #decideAgainst}
   *     settles that
   */
  public LogEntry decide(EntryDraft draft, LogTail tail) throws IOException {
    return decideWhile(() -> true, draft, tail).orElseThrow();
  }

  /** Whether a job may still be decided. */
  @FunctionalInterface
  public interface Condition {
    /** Checks it. */
    boolean holds() throws IOException;
  }

  /**
   * The same, under a condition that is checked before each number is tried.
   *
   * @return empty where the condition does not hold any more, and nothing was decided
   */
  public Optional<LogEntry> decideWhile(Condition condition, EntryDraft draft, LogTail tail)
      throws IOException {
    SortedSet<Long> follows = new TreeSet<>(draft.follows());
    for (long number = tail.highest() + 1; condition.holds(); number++) {
      LogEntry there = write(draft, number, follows, tail);
      if (there.decides(draft.job().id())) {
        return Optional.of(there);
      }
      tail.know(there);
      if (draft.job().plainNames() && draft.kind() != EntryKind.VOID) {
        throw new OvertakenException(draft.job(), there);
      }
      follow(there, draft.replaces(), follows);
    }
    return Optional.empty();
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
   * @param tail in which no entry of the job was found
   */
  public LogEntry decideAgainst(String jobId, LogTail tail) throws IOException {
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
   * @param window for how long it may PUT small files; zero where there are none
   * @return this process' own entry
   */
  public LogEntry resume(LogEntry target, Duration window, LogTail tail) throws IOException {
    return execute(EntryDraft.executing(target, EntryKind.RESUME, window), tail);
  }

  /** Writes an entry by which an operator ends another without the files that are lost. */
  public LogEntry giveUp(LogEntry target, LogTail tail) throws IOException {
    return execute(EntryDraft.executing(target, EntryKind.GIVEUP, Duration.ZERO), tail);
  }

  private LogEntry execute(EntryDraft draft, LogTail tail) throws IOException {
    for (long number = tail.highest() + 1; ; number++) {
      LogEntry there = write(draft, number, draft.follows(), tail);
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
   * Deletes the lowest entries but the highest, as far as they were written before a time, they and
   * all below have been quiet for more than a day, and no entry that is not quiet follows them; and
   * their documents. Who has listed one that was not quiet does not decide after a day. One request
   * per 1,000 records of the whole log, one for each entry that is not quiet, and two per 1,000
   * that are deleted.
   *
   * @return how many entries
   */
  public int cut(Instant before) throws IOException {
    LogTail all = tailDownTo(1);
    List<LogEntry> needed = needed(all);
    Set<Long> kept = needed.stream().map(LogEntry::number).collect(Collectors.toSet());
    List<String> entries = new ArrayList<>();
    List<String> markers = new ArrayList<>();
    for (long number : all.numbers()) {
      // The highest stays, so that no number is used twice: a process may have slept for days.
      if (number == all.highest()
          || kept.contains(number)
          || !all.isQuietSince(number, all.listed().minus(LONGEST_DECISION).minus(SIGNATURE))
          || !all.written(number).isBefore(before)) {
        break;
      }
      entries.add(EntryNames.entry(number));
      all.markers(number).forEach(marker -> markers.add(EntryNames.marker(marker)));
    }
    // A sleeping process must not write one of these numbers again.
    records.deleteDrafts(before.plus(LONGEST_DECISION.multipliedBy(2)));
    // Entries before their markers: a marker without its entry says nothing.
    records.delete(entries);
    records.delete(markers);
    deleteUnneeded(all, needed, before);
    return entries.size();
  }

  /**
   * The entries that are not quiet, and those that they follow: whoever executes them reads both.
   */
  private List<LogEntry> needed(LogTail all) throws IOException {
    Map<Long, LogEntry> needed = new TreeMap<>();
    for (long number : all.open()) {
      Optional<LogEntry> open = read(number);
      open.ifPresent(entry -> needed.put(number, entry));
      for (long followed : open.map(LogEntry::follows).orElseGet(TreeSet::new)) {
        if (!needed.containsKey(followed)) {
          read(followed).ifPresent(entry -> needed.put(followed, entry));
        }
      }
    }
    return List.copyOf(needed.values());
  }

  /**
   * Documents of entries that are at their end, or that never were written, old notes, and markers
   * that an interrupted cut has left.
   */
  private void deleteUnneeded(LogTail all, List<LogEntry> needed, Instant before)
      throws IOException {
    Set<String> documents =
        needed.stream()
            .flatMap(entry -> entry.chunks().stream())
            .flatMap(Chunk::documents)
            .map(Document::name)
            .collect(Collectors.toSet());
    List<String> unneeded =
        Stream.concat(
                records.list(EntryNames.PARTS).stream()
                    .filter(it -> EntryNames.isOfPlan(it.name())),
                records.list(EntryNames.LOG).stream()
                    .filter(
                        it ->
                            EntryNames.parse(it.name())
                                .flatMap(EntryNames.Parsed::marker)
                                .filter(marker -> !all.markers(marker.number()).contains(marker))
                                .isPresent()))
            .filter(it -> it.written().isBefore(before))
            .map(RecordStore.Entry::name)
            .filter(name -> !documents.contains(name))
            .toList();
    records.delete(unneeded);
  }

  /**
   * Writes an entry unless its number is taken.
   *
   * @return what is there: the draft's entry, or another
   */
  private LogEntry write(EntryDraft draft, long number, SortedSet<Long> follows, LogTail tail)
      throws IOException {
    String name = EntryNames.entry(number);
    boolean unknown = false;
    for (int attempt = 1; ; attempt++) {
      Instant now = records.now();
      if (now.isAfter(tail.listed().plus(LONGEST_DECISION))) {
        IOException tooLate =
            new IOException(
                "The log "
                    + records.locate(EntryNames.LOG)
                    + " was listed at "
                    + tail.listed()
                    + ", more than a day ago, so that entry "
                    + number
                    + " may be one that was deleted. "
                    + draft.job().description()
                    + " is not committed; run it again.");
        throw unknown ? tooLate : new NotWrittenException(tooLate);
      }
      LogEntry entry = draft.at(number, follows, tail.lowest(), now);
      try {
        if (records.putIfAbsent(name, EntryJson.write(entry), now)) {
          return entry;
        }
        return read(number)
            .orElseThrow(
                () ->
                    new IOException(
                        "Entry "
                            + records.locate(name)
                            + " was there and is gone: something deletes the committer's"
                            + " records"));
      } catch (NotWrittenException e) {
        // What was sent before may be there yet.
        throw unknown ? new IOException(e.getMessage(), e) : e;
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.AMBIGUOUS) {
          throw e;
        }
        unknown = true;
        // The entry may be there, or come yet: its number tells.
        Optional<LogEntry> there = read(number);
        if (there.isPresent()) {
          return there.get();
        }
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
