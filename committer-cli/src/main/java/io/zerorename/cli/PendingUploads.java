package io.zerorename.cli;

import io.zerorename.cli.doctor.OtherNames;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.Marker;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The uploads that are pending below some directories. Their keys carry the ids of their jobs, and
 * the commit logs of the directories above say how those stand.
 */
final class PendingUploads {
  /** Why uploads are not listed. */
  static final String BY_KEY_ONLY = "the store, MinIO, lists uploads by their exact key only";

  /** At any place of a key, also behind other digits. */
  private static final Pattern JOB_ID =
      Pattern.compile("(?=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))");

  private final List<Path> directories;
  private final ObjectStores stores;
  private final CommitLogs commitLogs;
  private final Workers workers;

  /**
   * The logs of each directory to which jobs have written, as they were read: that by its name, and
   * those by other names of the bucket, where a job by these looks for its decision.
   */
  private final Map<Path, Map<CommitLog, LogTail>> logs = new ConcurrentHashMap<>();

  private final Set<String> decidedJobs = ConcurrentHashMap.newKeySet();

  /** Ids of the uploads that open entries name, also of those with plain keys. */
  private final Set<String> committed = ConcurrentHashMap.newKeySet();

  /** Whether there are records that could not be read, and may name any upload. */
  private volatile boolean blind;

  private int aborted;

  /**
   * @param directories below which to search
   */
  PendingUploads(List<Path> directories, ObjectStores stores, Configuration conf) {
    this.directories = List.copyOf(directories);
    this.stores = stores;
    commitLogs = new CommitLogs(stores, conf);
    workers = CommitSettings.from(conf).workers();
  }

  /**
   * Every pending upload, by key. One request per 1,000 uploads, two for the log of each directory
   * above an upload, two or more for each that it has by another name of the bucket, and one or
   * more for each entry there that has not ended.
   */
  List<FoundUpload> find() throws IOException {
    Map<PendingUploadSummary, Path> found = new LinkedHashMap<>();
    for (Path directory : directories) {
      RemoteIterators.foreach(
          stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory)),
          upload -> found.put(upload, new Path(directory, "/" + upload.key())));
    }
    // After the listing: an upload that is committed meanwhile is then found to be, or is gone.
    workers.forEach(destinationsOf(found.values()), this::readLogs);
    Map<String, Instant> active = new HashMap<>();
    for (PendingUploadSummary upload : found.keySet()) {
      jobOf(upload.key())
          .ifPresent(
              job ->
                  active.merge(
                      job, upload.initiated(), BinaryOperator.maxBy(Comparator.naturalOrder())));
    }
    List<FoundUpload> uploads = new ArrayList<>();
    found.forEach(
        (upload, path) -> {
          Optional<String> job = jobOf(upload.key());
          uploads.add(
              new FoundUpload(
                  path,
                  upload.uploadId(),
                  upload.initiated(),
                  job,
                  job.map(active::get).orElse(upload.initiated()),
                  stateOf(upload.uploadId(), path, job)));
        });
    return uploads;
  }

  /** The directories whose uploads the store does not list; to be called behind {@link #find}. */
  List<Path> unlisted() throws IOException {
    List<Path> unlisted = new ArrayList<>();
    for (Path directory : directories) {
      if (!stores.forPath(directory).listsUploadsByPrefix()) {
        unlisted.add(directory);
      }
    }
    return unlisted;
  }

  /** Says that nothing is known of the uploads of some directories, and why. */
  static void report(List<Path> unlisted, String why, Output output) {
    output.put("uploadsNotListed", unlisted);
    unlisted.forEach(
        it ->
            output.line(
                "Whether uploads are pending below %s cannot be seen: %s.".formatted(it, why)));
  }

  /** The present by the clock of the store that has dated the uploads, once they were listed. */
  Instant now() throws IOException {
    return stores.forPath(directories.get(0)).now();
  }

  /** The directories above some files, and a table that was named, whose files may be elsewhere. */
  private Set<Path> destinationsOf(Collection<Path> files) {
    Set<Path> destinations = new LinkedHashSet<>(files.isEmpty() ? List.of() : directories);
    for (Path file : files) {
      for (Path above = file.getParent(); above != null; above = above.getParent()) {
        destinations.add(above);
      }
    }
    return destinations;
  }

  private void readLogs(Path destination) throws IOException {
    try {
      CommitLog own = commitLogs.of(destination);
      Map<CommitLog, LogTail> tails = new LinkedHashMap<>();
      tails.put(own, own.tailDownTo(1));
      for (OtherNames.Log other : new OtherNames(commitLogs).of(destination)) {
        tails.put(other.log(), other.tail());
      }
      if (tails.values().stream().anyMatch(tail -> tail.highest() > 0)) {
        logs.put(destination, tails);
      }
      for (Map.Entry<CommitLog, LogTail> log : tails.entrySet()) {
        for (long number : log.getValue().numbers()) {
          read(number, log.getKey(), log.getValue());
        }
      }
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
        throw e;
      }
      // A user who may list a table need not see what is above it, but then it is not known.
      blind = true;
    }
  }

  private void read(long number, CommitLog log, LogTail tail) throws IOException {
    Optional<String> ended = tail.marker(number).map(Marker::jobId);
    if (ended.isPresent() && tail.isEnded(number)) {
      decidedJobs.add(ended.get());
      return;
    }
    try {
      Optional<LogEntry> entry = log.read(number, tail);
      if (entry.isEmpty()) {
        return;
      }
      if (entry.get().kind().commits() && !tail.isEnded(number)) {
        RemoteIterators.foreach(
            log.plan(entry.get()).uploads(), upload -> committed.add(upload.uploadId()));
      }
      decidedJobs.add(entry.get().job().id());
    } catch (MalformedDocumentException e) {
      blind = true;
    }
  }

  /** The id in a key: that of a job in a log, or else the last one, which our names end with. */
  private Optional<String> jobOf(String key) {
    Optional<String> last = Optional.empty();
    for (Matcher ids = JOB_ID.matcher(key); ids.find(); last = Optional.of(ids.group(1))) {
      if (decidedJobs.contains(ids.group(1))) {
        return Optional.of(ids.group(1));
      }
    }
    return last;
  }

  private UploadState stateOf(String uploadId, Path path, Optional<String> job) {
    if (committed.contains(uploadId)) {
      return UploadState.COMMITTED;
    }
    if (job.filter(decidedJobs::contains).isPresent()) {
      return UploadState.ORPHANED;
    }
    if (blind) {
      return UploadState.UNREADABLE;
    }
    // Without a log nothing is known: it may be elsewhere, as that of a partition outside of its
    // table's directory, or of a job with another commit directory.
    return job.isPresent() && destinationsOf(List.of(path)).stream().anyMatch(logs::containsKey)
        ? UploadState.UNDECIDED
        : UploadState.UNKNOWN;
  }

  /**
   * Aborts uploads that {@link #find} has found, of jobs that have ended or are not decided. It
   * first decides against the latter, so that they cannot commit what is gone.
   *
   * @param abortedJobs gets those that were not decided before, and can commit no more; also where
   *     an upload of them cannot be aborted
   * @param spared gets those that were faster, and whose uploads were left alone
   */
  void abort(Collection<FoundUpload> uploads, List<String> abortedJobs, List<String> spared)
      throws IOException {
    Map<String, List<FoundUpload>> byJob = new LinkedHashMap<>();
    for (FoundUpload upload : uploads) {
      if (upload.state() != UploadState.ORPHANED && upload.state() != UploadState.UNDECIDED) {
        throw new IllegalArgumentException(upload.path() + " is " + upload.state().text());
      }
      byJob.computeIfAbsent(upload.job().orElseThrow(), it -> new ArrayList<>()).add(upload);
    }
    for (Map.Entry<String, List<FoundUpload>> job : byJob.entrySet()) {
      if (job.getValue().stream().anyMatch(it -> it.state() == UploadState.UNDECIDED)) {
        boolean ended = decideAgainst(job.getKey(), job.getValue());
        (ended ? abortedJobs : spared).add(job.getKey());
        if (!ended) {
          continue;
        }
      }
      UploadSweep sweep =
          new UploadSweep(
              stores,
              job.getKey(),
              job.getValue().stream()
                  .collect(
                      Collectors.toMap(FoundUpload::uploadId, FoundUpload::path, (it, same) -> it)),
              List.of(),
              Optional.empty());
      try {
        sweep.run(workers);
      } finally {
        aborted += sweep.aborted();
      }
    }
  }

  /** How many uploads it has aborted. */
  int aborted() {
    return aborted;
  }

  /**
   * Whether the job can never commit; it may have been committed since the logs were read. All of
   * them are read again before anything is written: if one has committed the job, none must say
   * that it is aborted. One request per log, and two or three for what is written to it.
   *
   * @throws MalformedDocumentException where an entry that may be the job's cannot be read, and
   *     nothing was written
   */
  private boolean decideAgainst(String jobId, List<FoundUpload> uploads) throws IOException {
    Map<CommitLog, LogTail> tails = new LinkedHashMap<>();
    for (Path destination : destinationsOf(uploads.stream().map(FoundUpload::path).toList())) {
      for (var seen : logs.getOrDefault(destination, Map.of()).entrySet()) {
        CommitLog log = seen.getKey();
        // No entry below is the job's: it would be known.
        LogTail tail = log.tailDownTo(seen.getValue().highest() + 1);
        if (log.find(jobId, tail).filter(it -> it.kind() != EntryKind.VOID).isPresent()) {
          return false;
        }
        tails.put(log, tail);
      }
    }
    for (Map.Entry<CommitLog, LogTail> log : tails.entrySet()) {
      LogEntry entry = log.getKey().decideAgainst(jobId, log.getValue());
      if (entry.kind() != EntryKind.VOID) {
        return false;
      }
      if (!log.getValue().isEnded(entry.number())) {
        log.getKey().mark(entry, EntryState.COMPLETE, EndNote.NOTHING);
      }
    }
    return true;
  }

  /** Bytes in an upload's parts; one request per 1,000 parts. 0 where it is gone. */
  long size(FoundUpload upload) throws IOException {
    try {
      return stores
          .forPath(upload.path())
          .listParts(ObjectKeys.of(upload.path()), upload.uploadId())
          .stream()
          .mapToLong(UploadedPart::size)
          .sum();
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.NO_SUCH_UPLOAD) {
        return 0;
      }
      throw e;
    }
  }
}
