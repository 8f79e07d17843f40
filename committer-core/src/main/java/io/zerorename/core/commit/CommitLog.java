package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.KeptParts;
import io.zerorename.core.log.LoggedParts;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanJson;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.PlanTotals;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.records.FileRecords;
import io.zerorename.core.records.ObjectRecords;
import io.zerorename.core.records.RecordStore;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the decisions about all jobs that write to one destination. Of any number of processes that
 * decide about a job, the first wins, and all learn what it decided. {@link LogNames} shows what
 * lies where.
 *
 * <p>A decision and the note of its end stay as tombstones, so that a process that comes late
 * cannot decide again. What is in {@code open} is therefore all that is left to do: one listing
 * finds it.
 */
public final class CommitLog {
  private static final Logger LOG = LoggerFactory.getLogger(CommitLog.class);

  private final RecordStore records;
  private final Optional<PutExpiry> expiry;

  /**
   * @param expiry for logs in a bucket
   */
  CommitLog(RecordStore records, Optional<PutExpiry> expiry) {
    this.records = requireNonNull(records, "records");
    this.expiry = requireNonNull(expiry, "expiry");
  }

  /** A log below a path of a bucket whose store has conditional writes. */
  public static CommitLog inBucket(ObjectStores stores, Path directory) {
    return new CommitLog(
        new ObjectRecords(stores, directory),
        Optional.of(new PutExpiry(stores, directory.getParent())));
  }

  /** A log in a directory of a file system whose rename is atomic. */
  public static CommitLog onFileSystem(FileSystem fileSystem, Path directory) {
    return new CommitLog(new FileRecords(fileSystem, directory), Optional.empty());
  }

  /** The jobs that have not been brought to their end, in the order in which they began to. */
  List<OpenJob> open() throws IOException {
    return OpenJob.among(records.list(LogNames.OPEN));
  }

  /** The clock by which {@link OpenJob#since} and deadlines are told. */
  Instant now() throws IOException {
    return records.now();
  }

  /** Whether small files below a path may be written after the decision; one request, or four. */
  boolean putsExpire() throws IOException {
    return expiry.isPresent() && expiry.get().isKept();
  }

  /** Whether the log is in the bucket of a path. */
  boolean isInBucketOf(Path destination) {
    return expiry.filter(it -> it.concerns(destination)).isPresent();
  }

  /**
   * Announces that small files of a commit are written, or that the store may be making files of
   * it, until a time. It can be read from a listing, and stays until then, unless {@link #finish}
   * is told that it is needless.
   *
   * @return whether this call has written it; otherwise another may rely on it
   */
  boolean announcePuts(String jobId, Proposal proposal, Instant until) throws IOException {
    return records.putIfAbsent(LogNames.announcement(jobId, proposal.id(), until), new byte[0]);
  }

  /** Whether a request with a deadline may still have an effect. */
  boolean mayStillTakeEffect(Instant deadline) {
    try {
      return !now().isAfter(deadline.plus(PutWindow.SETTLED));
    } catch (IOException e) {
      LOG.warn("The time of the store of {} cannot be told", records.locate(LogNames.OPEN), e);
      return true;
    }
  }

  /** Writes a plan down as it is made. It does not count before it is decided. */
  PlanWriter draft(OutputJob job) {
    return draft(job, ProcessIdentity.current());
  }

  /** For another process. */
  PlanWriter draft(OutputJob job, ProcessIdentity author) {
    return new PlanWriter(
        job,
        (proposal, number, last, part) -> {
          String record = LogNames.document(job.id(), proposal, number, last);
          byte[] document = PlanJson.write(part, author);
          records.putIfAbsent(record, document);
          return new PlanWriter.Document(
              new Proposal.Part(record, sha256(document)),
              part.inlined().isEmpty() ? part : PlanJson.read(document, records.locate(record)));
        });
  }

  /** The plan that a process has just proposed. */
  CommitPlan proposed(OutputJob job, PlanWriter draft, Proposal proposal) {
    return new CommitPlan(
        job,
        new LoggedParts(proposal.parts(), draft.kept(), part -> read(job.id(), part)),
        draft.totals());
  }

  /**
   * Decides that a proposal is carried out, unless the job was decided before.
   *
   * @param putsUntil until when this process may write small files of it
   * @return the decision that stands
   * @throws IOException where it is not known whether the job was decided; {@link #abort} settles
   *     that
   */
  Decision commit(String jobId, Proposal proposal, Optional<Instant> putsUntil) throws IOException {
    Decision standing = decide(jobId, Decision.commit(proposal, putsUntil));
    if (!standing.proposal().equals(Optional.of(proposal))) {
      drop(proposal.names());
    }
    return standing;
  }

  /**
   * Decides that the job is given up, unless it was decided before. Also settles an attempt to
   * commit whose answer was lost: what it has sent can win no more.
   *
   * @return the decision that stands
   */
  Decision abort(String jobId) throws IOException {
    return decide(jobId, Decision.abort());
  }

  private Decision decide(String jobId, Decision proposed) throws IOException {
    if (records.putIfAbsent(LogNames.decision(jobId), DecisionJson.write(proposed))) {
      return proposed;
    }
    return read(jobId)
        .orElseThrow(
            () ->
                new IOException(
                    "The decision "
                        + location(jobId)
                        + " was there, and is gone: somebody deletes the committer's records"));
  }

  /** The decision that stands, if there is one. */
  Optional<Decision> read(String jobId) throws IOException {
    return read(LogNames.decision(jobId), DecisionJson::read);
  }

  /** Reads a record's document. */
  @FunctionalInterface
  private interface DocumentReader<T> {
    T read(byte[] document, String where) throws IOException;
  }

  private <T> Optional<T> read(String name, DocumentReader<T> reader) throws IOException {
    Optional<byte[]> document = records.get(name);
    return document.isPresent()
        ? Optional.of(reader.read(document.get(), records.locate(name)))
        : Optional.empty();
  }

  /** Whether the job was committed: it cannot be undone any more. */
  public boolean isCommitted(String jobId) throws IOException {
    return read(jobId).filter(Decision::commits).isPresent();
  }

  /** Whether the job was committed or given up. */
  public boolean isDecided(String jobId) throws IOException {
    return read(jobId).isPresent();
  }

  /**
   * What was decided to be carried out; empty where that is done.
   *
   * @throws MalformedManifestException where a part of it is absent or is not what was decided
   */
  Optional<CommitPlan> unfinished(String jobId, Proposal proposal) throws IOException {
    try {
      return Optional.of(planOf(jobId, proposal));
    } catch (MalformedManifestException e) {
      // Whoever brings a commit to its end notes that before it forgets the plan.
      if (finished(jobId).isPresent()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Every document is read once, so that none is found changed in the midst of the work. */
  private CommitPlan planOf(String jobId, Proposal proposal) throws IOException {
    PlanTotals totals = new PlanTotals();
    KeptParts kept = new KeptParts();
    OutputJob job = null;
    for (int i = 0; i < proposal.parts().size(); i++) {
      PlanPart part = read(jobId, proposal.parts().get(i));
      job = part.job();
      totals.add(i, part);
      kept.offer(i, part);
    }
    return new CommitPlan(
        job, new LoggedParts(proposal.parts(), kept, part -> read(jobId, part)), totals);
  }

  private PlanPart read(String jobId, Proposal.Part entry) throws IOException {
    String where = records.locate(entry.name());
    byte[] document =
        records
            .get(entry.name())
            .orElseThrow(
                () ->
                    new MalformedManifestException(
                        "The commit plan "
                            + where
                            + " is gone, although it was not carried out: somebody deletes the"
                            + " committer's records. What it listed cannot be known.",
                        null));
    if (!sha256(document).equals(entry.sha256())) {
      throw new MalformedManifestException(
          "The commit plan "
              + where
              + " is not the one that was decided: it was changed or damaged. Nothing was done.",
          null);
    }
    PlanPart part = PlanJson.read(document, where);
    if (!part.job().id().equals(jobId)) {
      throw new MalformedManifestException(
          where
              + " is of job "
              + part.job().id()
              + ", not "
              + jobId
              + "; it was changed, and nothing was done",
          null);
    }
    return part;
  }

  /** Does something with a document of a proposal that was never decided. */
  @FunctionalInterface
  interface PartAction {
    void on(PlanPart part) throws IOException;
  }

  /** Goes through the documents of proposals that were never decided, as far as they are there. */
  void forEachUndecided(OpenJob open, PartAction action) throws IOException {
    for (String name : open.documents()) {
      Optional<byte[]> document = records.get(name);
      if (document.isPresent()) {
        PlanPart part = PlanJson.read(document.get(), records.locate(name));
        if (part.job().id().equals(open.id())) {
          action.on(part);
        }
      }
    }
  }

  /** A document that an open job has proposed; empty where it is gone or cannot be read. */
  Optional<PlanPart> proposedPart(OpenJob open, String name) throws IOException {
    Optional<byte[]> document = records.get(name);
    if (document.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(PlanJson.read(document.get(), records.locate(name)))
          .filter(part -> part.job().id().equals(open.id()));
    } catch (MalformedManifestException e) {
      LOG.debug("What job {} has proposed cannot be read", open.id(), e);
      return Optional.empty();
    }
  }

  /** The jobs that were decided and are not forgotten yet, and when; one listing. */
  Map<String, Instant> decisionTimes() throws IOException {
    Map<String, Instant> times = new HashMap<>();
    for (RecordStore.Entry decision : records.list(LogNames.DECISIONS)) {
      LogNames.jobOfDecision(decision.name()).ifPresent(id -> times.put(id, decision.written()));
    }
    return times;
  }

  /** The process that has proposed something, as far as that can be read. */
  Optional<ProcessIdentity> author(OpenJob open) throws IOException {
    for (String name : open.documents()) {
      Optional<byte[]> document = records.get(name);
      if (document.isPresent()) {
        return Optional.of(PlanJson.readAuthor(document.get(), records.locate(name)));
      }
    }
    return Optional.empty();
  }

  /** What the job has left in {@code open}; one listing. */
  Optional<OpenJob> openOf(String jobId) throws IOException {
    return open().stream().filter(open -> open.id().equals(jobId)).findFirst();
  }

  /** Deletes proposals of which nothing is left to do, but no announcement before its time. */
  void drop(Collection<String> names) throws IOException {
    drop(names, List.of());
  }

  /**
   * Deletes announcements of which the time is not over.
   *
   * @param needless those that nobody relies on
   */
  void takeBack(Collection<String> needless) throws IOException {
    drop(List.of(), needless);
  }

  private void drop(Collection<String> names, Collection<String> needless) throws IOException {
    List<String> over =
        Stream.concat(
                needless.stream(),
                names.stream()
                    .filter(
                        name ->
                            LogNames.putsUntil(name).filter(this::mayStillTakeEffect).isEmpty()))
            .toList();
    if (!over.isEmpty()) {
      records.delete(over);
    }
  }

  /**
   * Notes that nothing is left to do for a job, the engine's part included, and forgets its plan.
   * Two requests, which an interrupt of the caller does not stop.
   *
   * @throws IOException where it could not be noted; everything was done all the same, and the next
   *     job that writes there, or {@link Recovery}, finds that out
   */
  public void finish(OpenCommit commit) throws IOException {
    String jobId = commit.plan().job().id();
    try {
      Uninterrupted.call(
          () -> {
            finish(jobId, CommitSummary.of(commit.plan()), commit.records());
            return null;
          });
    } finally {
      RunningCommits.end(jobId);
      commit.plan().release();
    }
  }

  void finish(String jobId, CommitSummary summary, Collection<String> names) throws IOException {
    finish(jobId, summary, names, List.of());
  }

  /**
   * @param needless announcements of which the time is not over, and that nobody relies on
   */
  void finish(
      String jobId, CommitSummary summary, Collection<String> names, Collection<String> needless)
      throws IOException {
    records.putIfAbsent(LogNames.finished(jobId), summary.toJson());
    drop(names, needless);
  }

  /** How the job was brought to its end, if it was, by whichever process. */
  Optional<CommitSummary> finished(String jobId) throws IOException {
    return read(LogNames.finished(jobId), CommitSummary::read);
  }

  /**
   * Whether a failure is that of a process that was too late: another has brought the job to its
   * end, and deleted its plan. Where that cannot be read, the failure learns why.
   */
  boolean isEndedElsewhere(String jobId, Exception failure) {
    try {
      return finished(jobId).filter(end -> !end.givenUp()).isPresent();
    } catch (IOException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /** Notes which files of a committed job are missing, in place of an earlier note. */
  void noteMissing(String jobId, MissingFiles.Note note) throws IOException {
    String name = LogNames.missing(jobId);
    if (records.exists(name)) {
      records.delete(List.of(name));
    }
    records.putIfAbsent(name, note.toJson());
  }

  /**
   * What was missing when somebody has looked. None where that cannot be read: it is written anew,
   * and what it is about waits for longer.
   */
  Optional<MissingFiles.Note> missing(String jobId) throws IOException {
    try {
      return read(LogNames.missing(jobId), MissingFiles.Note::read);
    } catch (MalformedManifestException e) {
      LOG.debug("The note of missing files of job {} cannot be read", jobId, e);
      return Optional.empty();
    }
  }

  /** Notes that files of a committed job are lost. */
  void noteDamage(String jobId, Damage damage) throws IOException {
    records.putIfAbsent(LogNames.damaged(jobId), damage.toJson());
  }

  /** What is known to be lost. */
  Optional<Damage> damage(String jobId) throws IOException {
    return read(LogNames.damaged(jobId), Damage::read);
  }

  /** Forgets a damage that was mended. */
  void dropDamage(String jobId) throws IOException {
    records.delete(List.of(LogNames.missing(jobId), LogNames.damaged(jobId)));
  }

  /**
   * Deletes the tombstones of jobs that were decided before a time and of which nothing is left to
   * do.
   *
   * @return how many jobs
   */
  int purge(Instant before) throws IOException {
    List<String> old =
        records.list(LogNames.DECISIONS).stream()
            .filter(decision -> decision.written().isBefore(before))
            .flatMap(decision -> LogNames.jobOfDecision(decision.name()).stream())
            .toList();
    List<String> parts =
        records.list(LogNames.PARTS).stream()
            .filter(part -> part.written().isBefore(before))
            .map(RecordStore.Entry::name)
            .toList();
    if (old.isEmpty() && parts.isEmpty()) {
      return 0;
    }
    List<OpenJob> open = open();
    Set<String> openJobs = open.stream().map(OpenJob::id).collect(Collectors.toSet());
    List<String> ended = old.stream().filter(jobId -> !openJobs.contains(jobId)).toList();
    Set<String> needed =
        open.stream().flatMap(it -> it.names().stream()).collect(Collectors.toSet());
    drop(
        Stream.concat(
                ended.stream()
                    .flatMap(
                        jobId ->
                            Stream.of(
                                LogNames.decision(jobId),
                                LogNames.finished(jobId),
                                LogNames.missing(jobId),
                                LogNames.damaged(jobId))),
                // Of jobs that were killed while they planned.
                parts.stream().filter(part -> !needed.contains(part)))
            .toList());
    return ended.size();
  }

  /** Where a person finds the decision about a job. */
  public String location(String jobId) {
    return records.locate(LogNames.decision(jobId));
  }

  private static String sha256(byte[] document) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(document));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
