package io.zerorename.core.recovery;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobUploads;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Finds the pending uploads below directories, finds their jobs, and aborts those that no process
 * will complete.
 *
 * <p>Where a cluster has no file system but S3 there is no journal, so that the uploads of a job
 * that was never decided are not known to be the committer's.
 */
public final class PendingUploadScan {
  private final List<Path> directories;
  private final ObjectStores stores;
  private final CommitSettings settings;
  private final Configuration conf;
  private final List<WorkDirectory> workDirectories;
  private Instant since = Instant.MAX;
  private UploadOwners owners;
  private final boolean complete;

  /**
   * @param directories below which to search; settings are those of the first one's bucket, and the
   *     logs of each are read
   * @param workDirectories the user's directories on the cluster file system, of any engine
   * @param complete whether these are all; else an upload that is in none of them may be of a job
   *     that is in another
   */
  public PendingUploadScan(
      List<Path> directories,
      ObjectStores stores,
      Configuration conf,
      List<WorkDirectory> workDirectories,
      boolean complete) {
    this.directories = List.copyOf(directories);
    settings = CommitSettings.from(conf, ObjectKeys.bucketOf(this.directories.get(0)));
    this.stores = requireNonNull(stores, "stores");
    this.conf = requireNonNull(conf, "conf");
    this.workDirectories = List.copyOf(workDirectories);
    this.complete = complete;
  }

  /**
   * Every pending upload below the directories, by key. One request per 1,000 uploads, and two per
   * log: each directory above an upload may have one.
   *
   * @param listed gets how many were found so far
   */
  public List<FoundUpload> uploads(LongConsumer listed) throws IOException {
    Map<PendingUploadSummary, Path> paths = list(listed);
    Collection<PendingUploadSummary> uploads = paths.keySet();
    since =
        uploads.stream()
            .map(PendingUploadSummary::initiated)
            .min(Comparator.naturalOrder())
            .orElse(Instant.MAX);
    owners = new UploadOwners(stores, conf, workDirectories, since);
    try (Workers workers = settings.workers()) {
      // After the listing: an upload that is committed meanwhile is then found to be, or is gone.
      if (!uploads.isEmpty()) {
        owners.readLogs(directoriesAbove(paths.values()), workers);
        owners.readJournals(workers);
      }
      Map<String, UploadOwner> jobs = owners.of(uploads, workers);
      return uploads.stream()
          .map(
              upload ->
                  found(
                      upload, paths.get(upload), Optional.ofNullable(jobs.get(upload.uploadId()))))
          .toList();
    }
  }

  /** The present by the clock of the store that has dated the uploads, once they were listed. */
  public Instant now() throws IOException {
    return stores.forPath(directories.get(0)).now();
  }

  private FoundUpload found(PendingUploadSummary upload, Path path, Optional<UploadOwner> job) {
    UploadStatus withoutJob =
        complete && !owners.blind() ? UploadStatus.UNKNOWN : UploadStatus.UNREADABLE;
    return new FoundUpload(
        path,
        upload.uploadId(),
        upload.initiated(),
        job.map(UploadOwner::id),
        job.map(it -> it.of(upload.uploadId())).orElse(withoutJob),
        job.map(UploadOwner::active).orElse(upload.initiated()));
  }

  private Map<PendingUploadSummary, Path> list(LongConsumer listed) throws IOException {
    Map<PendingUploadSummary, Path> uploads = new LinkedHashMap<>();
    for (Path directory : directories) {
      RemoteIterators.foreach(
          stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory)),
          upload -> {
            uploads.put(upload, new Path(directory, "/" + upload.key()));
            listed.accept(uploads.size());
          });
    }
    return uploads;
  }

  private Set<Path> directoriesAbove(Collection<Path> uploads) {
    Set<Path> above = new LinkedHashSet<>();
    uploads.forEach(upload -> DirectorySet.addWithAncestors(upload.getParent(), above));
    directories.forEach(directory -> DirectorySet.addWithAncestors(directory, above));
    return above;
  }

  /**
   * What an abort did.
   *
   * @param aborted uploads; of a job that was aborted as a whole, all of its uploads
   * @param bytes that the store has kept for them, as far as it says
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
   * Aborts uploads that {@link #uploads} has found. It decides against jobs that are not decided
   * before it aborts anything of them, so that they cannot commit what is gone.
   *
   * @throws IllegalArgumentException where one of them is committed, or may be
   */
  public Result abort(Collection<FoundUpload> uploads) throws IOException {
    Map<Optional<String>, List<FoundUpload>> byJob = new LinkedHashMap<>();
    for (FoundUpload upload : uploads) {
      if (upload.status() == UploadStatus.COMMITTED || upload.status() == UploadStatus.UNREADABLE) {
        throw new IllegalArgumentException(upload.path() + " is " + upload.status().text());
      }
      byJob.computeIfAbsent(upload.jobId(), it -> new ArrayList<>()).add(upload);
    }
    int aborted = 0;
    long bytes = 0;
    List<String> abortedJobs = new ArrayList<>();
    List<String> spared = new ArrayList<>();
    try (Workers workers = settings.workers()) {
      for (Map.Entry<Optional<String>, List<FoundUpload>> entry : byJob.entrySet()) {
        List<FoundUpload> ofJob = entry.getValue();
        if (ofJob.stream().anyMatch(it -> it.status() == UploadStatus.UNDECIDED)) {
          String id = entry.getKey().orElseThrow();
          UploadOwner job = owners.job(id).orElseThrow();
          if (!job.abort(since)) {
            spared.add(id);
            continue;
          }
          abortedJobs.add(id);
          if (job.directory().isPresent()
              && new JobAbort(stores, job.directory().get(), job.log(), settings, since).run()
                  instanceof JobAbort.Result.Aborted whole) {
            aborted += whole.uploads();
            bytes += whole.bytes();
            continue;
          }
        }
        UploadSweep.Result result =
            UploadSweep.ofUploads(
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
