package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.FoundUpload.Standing;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Finds the pending uploads below a directory, tells whose they are, and aborts those that nobody
 * will complete.
 *
 * <p>An upload is a job's where a plan in a commit log or a job's journal names its id, or where
 * its key carries the id of a job in one of those. Where a cluster has no file system but S3 there
 * is no journal, so that the uploads of a job that was never decided are not known to be ours.
 */
public final class UploadCensus {
  private final ObjectStores stores;
  private final CommitLogs logs;
  private final Configuration conf;
  private final List<WorkDirectory> places;
  private final CommitSettings settings;
  private final Map<String, Job> jobs = new LinkedHashMap<>();
  private final Map<String, String> jobOfUpload = new HashMap<>();
  private final Set<String> settled = new HashSet<>();
  private boolean blind;

  /**
   * @param places the user's directories on the cluster file system, of any engine
   * @param complete whether these are all; else an upload that is in none of them may be of a job
   *     that is in another
   */
  public UploadCensus(
      ObjectStores stores, Configuration conf, List<WorkDirectory> places, boolean complete) {
    settings = CommitSettings.from(conf);
    this.stores = new PacedStores(stores, settings);
    this.conf = requireNonNull(conf, "conf");
    this.places = List.copyOf(places);
    blind = !complete;
    logs = new CommitLogs(stores, conf, Optional.empty());
  }

  /** What the records say of a job. */
  private static final class Job {
    private final CommitLog log;
    private Optional<JobDirectory> directory = Optional.empty();
    private Standing standing = Standing.UNDECIDED;
    private Set<String> committed = Set.of();
    private Instant active = Instant.EPOCH;

    Job(CommitLog log) {
      this.log = log;
    }

    Standing of(String uploadId) {
      return standing == Standing.COMMITTED && !committed.contains(uploadId)
          ? Standing.LEFT_OVER
          : standing;
    }

    void sign(Instant time) {
      active = active.isAfter(time) ? active : time;
    }
  }

  /**
   * Every pending upload below a directory, by key. One request per 1,000 uploads, and two per log:
   * each directory above an upload may have one.
   *
   * @param listed is told how many were found so far
   */
  public List<FoundUpload> below(Path directory, LongConsumer listed) throws IOException {
    List<PendingUploadSummary> uploads = list(directory, listed);
    // After the listing: an upload that is committed meanwhile is then found to be, or is gone.
    if (!uploads.isEmpty()) {
      readLogs(directory, uploads);
      readJournals();
    }
    Map<String, Optional<String>> owners = new HashMap<>();
    for (PendingUploadSummary upload : uploads) {
      Optional<String> owner = ownerOf(upload);
      owners.put(upload.uploadId(), owner);
      owner.ifPresent(id -> jobs.get(id).sign(upload.initiated()));
    }
    List<FoundUpload> found = new ArrayList<>();
    for (PendingUploadSummary upload : uploads) {
      Optional<String> owner = owners.get(upload.uploadId());
      Optional<Job> job = owner.map(jobs::get);
      found.add(
          new FoundUpload(
              new Path(directory, "/" + upload.key()),
              upload.uploadId(),
              upload.initiated(),
              owner,
              job.map(it -> it.of(upload.uploadId()))
                  .orElse(blind ? Standing.UNREADABLE : Standing.UNKNOWN),
              job.map(it -> it.active).orElse(upload.initiated())));
    }
    return found;
  }

  private List<PendingUploadSummary> list(Path directory, LongConsumer listed) throws IOException {
    List<PendingUploadSummary> uploads = new ArrayList<>();
    try {
      Iterator<PendingUploadSummary> listing =
          stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory));
      while (listing.hasNext()) {
        uploads.add(listing.next());
        listed.accept(uploads.size());
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return uploads;
  }

  private void readLogs(Path directory, List<PendingUploadSummary> uploads) throws IOException {
    Set<Path> destinations = new LinkedHashSet<>();
    for (PendingUploadSummary upload : uploads) {
      Path place = new Path(directory, "/" + upload.key()).getParent();
      while (place != null && destinations.add(place)) {
        place = place.getParent();
      }
    }
    for (Path destination : destinations) {
      try {
        readLog(logs.at(logs.inBucket(destination)));
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
          throw e;
        }
        // Whoever may see a table need not see what is above it, but then cannot know.
        blind = true;
      }
      for (WorkDirectory place : places) {
        Path onFileSystem =
            new CommitLogs(stores, conf, Optional.of(place))
                .onFileSystem(destination)
                .orElseThrow();
        readLog(logs.at(onFileSystem));
      }
    }
  }

  private void readLog(CommitLog log) throws IOException {
    for (OpenJob open : log.open()) {
      Job job = job(open.id(), log);
      job.sign(open.since());
      try {
        log.forEachUndecided(
            open,
            part -> {
              for (PendingUpload upload : part.uploads()) {
                jobOfUpload.put(upload.uploadId(), open.id());
              }
            });
      } catch (MalformedManifestException e) {
        job.standing = Standing.UNREADABLE;
        blind = true;
      }
    }
    for (String id : log.decisionTimes().keySet()) {
      job(id, log);
    }
  }

  private void readJournals() throws IOException {
    try (Workers workers = new Workers(settings.threads())) {
      for (WorkDirectory place : places) {
        for (Path path : place.jobs()) {
          readJournal(new JobDirectory(place.fileSystem(), path), workers);
        }
      }
    }
  }

  private void readJournal(JobDirectory directory, Workers workers) throws IOException {
    Optional<Path> log = directory.log();
    if (log.isEmpty()) {
      return;
    }
    List<JobUploads.Entry> entries = directory.uploads().read(CommittedUploads.none(), workers);
    if (!entries.isEmpty()) {
      Job job = job(directory.jobId(), logs.at(log.get()));
      job.directory = Optional.of(directory);
      job.sign(directory.lastChange());
      for (JobUploads.Entry entry : entries) {
        entry.uploadId().ifPresent(id -> jobOfUpload.put(id, directory.jobId()));
      }
    }
  }

  private Job job(String id, CommitLog log) {
    return jobs.computeIfAbsent(id, it -> new Job(log));
  }

  /** Also settles how the job stands, of those alone that have an upload here. */
  private Optional<String> ownerOf(PendingUploadSummary upload) throws IOException {
    Optional<String> owner =
        Optional.ofNullable(jobOfUpload.get(upload.uploadId()))
            .or(() -> jobs.keySet().stream().filter(id -> upload.key().contains(id)).findFirst());
    if (owner.isPresent() && settled.add(owner.get())) {
      settle(owner.get(), jobs.get(owner.get()));
    }
    return owner;
  }

  private void settle(String id, Job job) throws IOException {
    try {
      Optional<Decision> decision = job.log.read(id);
      if (decision.isEmpty()) {
        return;
      }
      Optional<CommitPlan> plan =
          decision.get().commits() && job.log.finished(id).isEmpty()
              ? job.log.unfinished(id, decision.get().proposal().orElseThrow())
              : Optional.empty();
      job.standing = plan.isPresent() ? Standing.COMMITTED : Standing.LEFT_OVER;
      if (plan.isPresent()) {
        Set<String> committed = new HashSet<>();
        plan.get().uploads().forEach(upload -> committed.add(upload.uploadId()));
        job.committed = committed;
      }
    } catch (MalformedManifestException e) {
      job.standing = Standing.UNREADABLE;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * What an abort did.
   *
   * @param aborted uploads given up; of a job that was aborted as a whole, all of its uploads
   * @param bytes that the store has kept for them, as far as it tells
   * @param abortedJobs which were not decided before, and can commit no more
   * @param committedMeanwhile jobs that were faster, and whose uploads were left alone
   */
  public record Result(
      int aborted, long bytes, List<String> abortedJobs, List<String> committedMeanwhile) {
    public Result {
      abortedJobs = List.copyOf(abortedJobs);
      committedMeanwhile = List.copyOf(committedMeanwhile);
    }
  }

  /**
   * Aborts uploads that {@link #below} has found. It decides against jobs that are not decided
   * before it aborts anything of them, so that they cannot commit what is gone.
   *
   * @throws IllegalArgumentException where one of them is committed, or may be
   */
  public Result abort(Collection<FoundUpload> uploads) throws IOException {
    Map<Optional<String>, List<FoundUpload>> byJob = new LinkedHashMap<>();
    for (FoundUpload upload : uploads) {
      if (upload.standing() == Standing.COMMITTED || upload.standing() == Standing.UNREADABLE) {
        throw new IllegalArgumentException(upload.path() + " is " + upload.standing().text());
      }
      byJob.computeIfAbsent(upload.jobId(), it -> new ArrayList<>()).add(upload);
    }
    int aborted = 0;
    long bytes = 0;
    List<String> abortedJobs = new ArrayList<>();
    List<String> spared = new ArrayList<>();
    try (Workers workers = new Workers(settings.threads())) {
      for (Map.Entry<Optional<String>, List<FoundUpload>> entry : byJob.entrySet()) {
        List<FoundUpload> ofJob = entry.getValue();
        if (ofJob.stream().anyMatch(it -> it.standing() == Standing.UNDECIDED)) {
          String id = entry.getKey().orElseThrow();
          Job job = jobs.get(id);
          if (job.log.abort(id).commits()) {
            spared.add(id);
            continue;
          }
          abortedJobs.add(id);
          if (job.directory.isPresent()
              && new JobAbort(stores, job.directory.get(), job.log, settings).run()
                  instanceof JobAbort.Result.Aborted whole) {
            aborted += whole.uploads();
            bytes += whole.bytes();
            continue;
          }
        }
        SweepUploads.Result result =
            SweepUploads.ofUploads(
                    stores,
                    entry.getKey().orElse("unknown"),
                    ofJob.stream()
                        .map(it -> new JobUploads.Entry(it.path(), Optional.of(it.uploadId())))
                        .toList())
                .run(workers);
        aborted += result.aborted();
        bytes += result.bytes();
      }
    }
    return new Result(aborted, bytes, abortedJobs, spared);
  }

  /** Bytes in an upload's parts; one request per 1,000 parts. 0 where it is gone. */
  public long size(FoundUpload upload) throws IOException {
    try {
      return stores
          .forPath(upload.path())
          .listParts(ObjectKeys.of(upload.path()), upload.uploadId())
          .stream()
          .mapToLong(part -> part.size())
          .sum();
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.NO_SUCH_UPLOAD) {
        return 0;
      }
      throw e;
    }
  }
}
