package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Keeps the decisions about all jobs that write to one destination. Of any number of processes that
 * decide about a job, the first wins, and all learn what it decided.
 *
 * <pre>
 * open/&lt;job id&gt;.&lt;proposal&gt;.&lt;n&gt;.json   a plan, until it was carried out
 * decisions/&lt;job id&gt;.json             COMMIT of one of the proposals, or ABORT
 * damaged/&lt;job id&gt;.json               files of a committed job that are lost
 * finished/&lt;job id&gt;.json              nothing is left to do
 * </pre>
 *
 * A decision and the note of its end stay as tombstones, so that a process that comes late cannot
 * decide again. What is in {@code open} is therefore all that is left to do: one listing finds it.
 */
public final class CommitLog {
  /** A plan's document is then some megabytes long. */
  private static final int ENTRIES_PER_PART = 5_000;

  private static final String OPEN = "open";
  private static final String SUFFIX = ".json";

  private final RecordStore records;

  CommitLog(RecordStore records) {
    this.records = requireNonNull(records, "records");
  }

  /** A log below a path of a bucket whose store has conditional writes. */
  public static CommitLog inBucket(ObjectStores stores, Path directory) {
    return new CommitLog(new ObjectRecords(stores, directory));
  }

  /** A log in a directory of a file system whose rename is atomic. */
  public static CommitLog onFileSystem(FileSystem fileSystem, Path directory) {
    return new CommitLog(new FileRecords(fileSystem, directory));
  }

  /**
   * A job of which proposals are left.
   *
   * @param since when the last of them was written, by the store's clock
   * @param names of the documents
   */
  record Open(String jobId, Instant since, List<String> names) {
    Open {
      names = List.copyOf(names);
    }
  }

  /** The jobs that have not been brought to their end, in the order in which they began to. */
  List<Open> open() throws IOException {
    Map<String, Open> jobs = new LinkedHashMap<>();
    for (RecordStore.Entry entry : records.list(OPEN)) {
      Optional<String> jobId = jobIdOf(entry.name());
      if (jobId.isPresent()) {
        jobs.merge(
            jobId.get(),
            new Open(jobId.get(), entry.written(), List.of(entry.name())),
            CommitLog::joined);
      }
    }
    return jobs.values().stream().sorted((a, b) -> a.since().compareTo(b.since())).toList();
  }

  private static Open joined(Open a, Open b) {
    List<String> names = new ArrayList<>(a.names());
    names.addAll(b.names());
    return new Open(a.jobId(), a.since().isAfter(b.since()) ? a.since() : b.since(), names);
  }

  /** Read from the end, because a job's id may have dots. */
  private static Optional<String> jobIdOf(String name) {
    if (!name.endsWith(SUFFIX)) {
      return Optional.empty();
    }
    int part = name.lastIndexOf('.', name.length() - SUFFIX.length() - 1);
    int proposal = part < 0 ? -1 : name.lastIndexOf('.', part - 1);
    return proposal < 0
        ? Optional.empty()
        : Optional.of(name.substring(OPEN.length() + 1, proposal));
  }

  /** Writes a plan down. It does not count before it is decided. */
  Proposal propose(CommitPlan plan) throws IOException {
    return propose(plan, ProcessIdentity.current());
  }

  /** For another process. */
  Proposal propose(CommitPlan plan, ProcessIdentity author) throws IOException {
    String id = UUID.randomUUID().toString();
    List<Proposal.Part> parts = new ArrayList<>();
    for (CommitPlan slice : slices(plan)) {
      String name = OPEN + "/" + plan.job().id() + "." + id + "." + parts.size() + SUFFIX;
      byte[] document = PlanJson.write(slice, author);
      records.putIfAbsent(name, document);
      parts.add(new Proposal.Part(name, sha256(document)));
    }
    return new Proposal(id, parts);
  }

  /**
   * Decides that a proposal is carried out, unless the job was decided before.
   *
   * @return the decision that stands
   * @throws IOException where it is not known whether the job was decided; {@link #abort} settles
   *     that
   */
  Decision commit(String jobId, Proposal proposal) throws IOException {
    Decision standing = decide(jobId, Decision.commit(proposal));
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
    if (records.putIfAbsent(decisionOf(jobId), DecisionJson.write(proposed))) {
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
    Optional<byte[]> document = records.get(decisionOf(jobId));
    return document.isPresent()
        ? Optional.of(DecisionJson.read(document.get(), location(jobId)))
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

  /** One at least, for the sake of the job. */
  private static List<CommitPlan> slices(CommitPlan plan) {
    List<CommitPlan> slices = new ArrayList<>();
    int size =
        Math.max(
            1,
            Math.max(
                plan.uploads().size(), Math.max(plan.replaced().size(), plan.markers().size())));
    for (int from = 0; from < size; from += ENTRIES_PER_PART) {
      slices.add(
          new CommitPlan(
              plan.job(),
              slice(plan.uploads(), from),
              slice(plan.replaced(), from),
              slice(plan.markers(), from)));
    }
    return slices;
  }

  private static <T> List<T> slice(List<T> list, int from) {
    return list.subList(
        Math.min(from, list.size()), Math.min(from + ENTRIES_PER_PART, list.size()));
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

  private CommitPlan planOf(String jobId, Proposal proposal) throws IOException {
    List<PendingUpload> uploads = new ArrayList<>();
    List<OldObject> replaced = new ArrayList<>();
    List<Path> markers = new ArrayList<>();
    OutputJob job = null;
    for (Proposal.Part part : proposal.parts()) {
      CommitPlan slice = read(part);
      if (!slice.job().id().equals(jobId)) {
        throw new MalformedManifestException(
            records.locate(part.name())
                + " is of job "
                + slice.job().id()
                + ", not "
                + jobId
                + "; it was changed, and nothing was done",
            null);
      }
      job = slice.job();
      uploads.addAll(slice.uploads());
      replaced.addAll(slice.replaced());
      markers.addAll(slice.markers());
    }
    return new CommitPlan(job, uploads, replaced, markers);
  }

  private CommitPlan read(Proposal.Part part) throws IOException {
    String where = records.locate(part.name());
    byte[] document =
        records
            .get(part.name())
            .orElseThrow(
                () ->
                    new MalformedManifestException(
                        "The commit plan "
                            + where
                            + " is gone, although it was not carried out: somebody deletes the"
                            + " committer's records. What it listed cannot be known.",
                        null));
    if (!sha256(document).equals(part.sha256())) {
      throw new MalformedManifestException(
          "The commit plan "
              + where
              + " is not the one that was decided: it was changed or damaged. Nothing was done.",
          null);
    }
    return PlanJson.read(document, where);
  }

  /** The plans of proposals that were never decided, as far as they can be read. */
  List<CommitPlan> undecided(Open open) throws IOException {
    List<CommitPlan> plans = new ArrayList<>();
    for (String name : open.names()) {
      Optional<byte[]> document = records.get(name);
      if (document.isPresent()) {
        CommitPlan plan = PlanJson.read(document.get(), records.locate(name));
        if (plan.job().id().equals(open.jobId())) {
          plans.add(plan);
        }
      }
    }
    return plans;
  }

  /** The process that has proposed something, as far as that can be read. */
  Optional<ProcessIdentity> author(Open open) throws IOException {
    for (String name : open.names()) {
      Optional<byte[]> document = records.get(name);
      if (document.isPresent()) {
        return Optional.of(PlanJson.readAuthor(document.get(), records.locate(name)));
      }
    }
    return Optional.empty();
  }

  /** What the job has left in {@code open}; one listing. */
  Optional<Open> openOf(String jobId) throws IOException {
    return open().stream().filter(open -> open.jobId().equals(jobId)).findFirst();
  }

  /** Deletes proposals of which nothing is left to do. */
  void drop(Collection<String> names) throws IOException {
    if (!names.isEmpty()) {
      records.delete(names);
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
    }
  }

  void finish(String jobId, CommitSummary summary, Collection<String> names) throws IOException {
    records.putIfAbsent(finishedOf(jobId), summary.toJson());
    drop(names);
  }

  /** How the job was brought to its end, if it was, by whichever process. */
  Optional<CommitSummary> finished(String jobId) throws IOException {
    String name = finishedOf(jobId);
    Optional<byte[]> document = records.get(name);
    return document.isPresent()
        ? Optional.of(CommitSummary.read(document.get(), records.locate(name)))
        : Optional.empty();
  }

  /** Notes that files of a committed job are lost. */
  void noteDamage(String jobId, Damage damage) throws IOException {
    records.putIfAbsent(damageOf(jobId), damage.toJson());
  }

  /** What is known to be lost. */
  Optional<Damage> damage(String jobId) throws IOException {
    String name = damageOf(jobId);
    Optional<byte[]> document = records.get(name);
    return document.isPresent()
        ? Optional.of(Damage.read(document.get(), records.locate(name)))
        : Optional.empty();
  }

  /** Forgets a damage that was mended. */
  void dropDamage(String jobId) throws IOException {
    records.delete(List.of(damageOf(jobId)));
  }

  /**
   * Deletes the tombstones of jobs that were decided before a time and of which nothing is left to
   * do.
   *
   * @return how many jobs
   */
  int purge(Instant before) throws IOException {
    List<String> old =
        records.list("decisions").stream()
            .filter(decision -> decision.written().isBefore(before))
            .map(decision -> decision.name().substring("decisions/".length()))
            .filter(file -> file.endsWith(SUFFIX))
            .map(file -> file.substring(0, file.length() - SUFFIX.length()))
            .toList();
    if (old.isEmpty()) {
      return 0;
    }
    Set<String> open = open().stream().map(Open::jobId).collect(Collectors.toSet());
    List<String> ended = old.stream().filter(jobId -> !open.contains(jobId)).toList();
    drop(
        ended.stream()
            .flatMap(jobId -> Stream.of(decisionOf(jobId), finishedOf(jobId), damageOf(jobId)))
            .toList());
    return ended.size();
  }

  /** Where a person finds the decision about a job. */
  public String location(String jobId) {
    return records.locate(decisionOf(jobId));
  }

  private static String decisionOf(String jobId) {
    return "decisions/" + jobId + SUFFIX;
  }

  private static String finishedOf(String jobId) {
    return "finished/" + jobId + SUFFIX;
  }

  private static String damageOf(String jobId) {
    return "damaged/" + jobId + SUFFIX;
  }

  private static String sha256(byte[] document) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(document));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
