package io.zerorename.core.recovery;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.JobUploads;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.Marker;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Finds the jobs of pending uploads in the committer's records, and their states.
 *
 * <p>An upload is a job's where a plan in a commit log or a job's journal names its id, or where
 * its key carries the id of a job in one of those.
 */
final class UploadOwners {
  /**
   * The form of our jobs' ids. Any other name in a log was put there by another program, and might
   * be part of many a key.
   */
  private static final Pattern JOB_ID =
      Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private final ObjectStores stores;
  private final CommitLogs logs;
  private final List<WorkDirectory> workDirectories;
  private final Map<String, UploadOwner> jobs = new LinkedHashMap<>();
  private final Map<String, String> jobOfUpload = new HashMap<>();
  private final Instant since;
  private volatile boolean blind;

  /**
   * @param since no upload in question was begun before; no older entry is read
   */
  UploadOwners(
      ObjectStores stores, Configuration conf, List<WorkDirectory> workDirectories, Instant since) {
    this.since = requireNonNull(since, "since");
    this.stores = requireNonNull(stores, "stores");
    this.workDirectories = List.copyOf(workDirectories);
    logs = new CommitLogs(stores, conf);
  }

  /** Whether there are records that could not be read, and may name any upload. */
  boolean blind() {
    return blind;
  }

  Optional<UploadOwner> job(String id) {
    return Optional.ofNullable(jobs.get(id));
  }

  /** Reads the logs of destinations; two requests for each. */
  void readLogs(Collection<Path> destinations, Workers workers) throws IOException {
    Map<Path, Optional<LogEntries>> read = new ConcurrentHashMap<>();
    workers.forEach(destinations, destination -> read.put(destination, readLog(destination)));
    // In the order of the directories, whichever answers first.
    for (Path destination : destinations) {
      read.get(destination).ifPresent(this::add);
    }
  }

  private Optional<LogEntries> readLog(Path destination) throws IOException {
    try {
      return Optional.of(read(logs.of(destination)));
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
        throw e;
      }
      // A user who may list a table need not see what is above it, but then it is not known.
      blind = true;
      return Optional.empty();
    }
  }

  /**
   * What a log has.
   *
   * @param active jobs of entries, with the times of those
   * @param uploads ids of those that open entries name, with their jobs
   * @param damaged jobs whose plans cannot be read
   */
  private record LogEntries(
      CommitLog log,
      Map<String, Instant> active,
      Map<String, String> uploads,
      Set<String> damaged) {}

  private LogEntries read(CommitLog log) throws IOException {
    LogTail tail = log.tailSince(since);
    Map<String, Instant> active = new LinkedHashMap<>();
    Map<String, String> uploads = new HashMap<>();
    Set<String> damaged = new HashSet<>();
    for (long number : tail.numbers()) {
      Optional<String> ended = tail.marker(number).map(Marker::jobId);
      if (ended.isPresent() && tail.isDone(tail.target(number))) {
        active.put(ended.get(), tail.written(number));
        continue;
      }
      Optional<LogEntry> entry;
      try {
        entry = log.read(number);
      } catch (MalformedManifestException e) {
        blind = true;
        continue;
      }
      if (entry.isPresent()) {
        String job = entry.get().job().id();
        active.put(job, tail.written(number));
        try {
          RemoteIterators.foreach(
              log.plan(entry.get()).uploads(), it -> uploads.put(it.uploadId(), job));
        } catch (MalformedManifestException e) {
          damaged.add(job);
          blind = true;
        }
      }
    }
    return new LogEntries(log, active, uploads, damaged);
  }

  private void add(LogEntries entries) {
    entries.active().forEach((id, time) -> job(id, entries.log()).sign(time));
    entries.uploads().forEach(jobOfUpload::put);
    entries.damaged().forEach(id -> jobs.get(id).cannotBeRead());
  }

  /** Reads the journals of the user's jobs. */
  void readJournals(Workers workers) throws IOException {
    for (WorkDirectory work : workDirectories) {
      for (Path path : work.jobs()) {
        readJournal(new JobDirectory(work.fileSystem(), path), workers);
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
      UploadOwner job = job(directory.jobId(), CommitLog.inBucket(stores, log.get()));
      job.isAt(directory);
      job.sign(directory.lastChange());
      for (JobUploads.Entry entry : entries) {
        entry.uploadId().ifPresent(id -> jobOfUpload.put(id, directory.jobId()));
      }
    }
  }

  private UploadOwner job(String id, CommitLog log) {
    return jobs.computeIfAbsent(id, it -> new UploadOwner(it, log));
  }

  /**
   * The jobs of uploads, by the uploads' ids, and how they stand; nothing for those that no record
   * names.
   */
  Map<String, UploadOwner> of(Collection<PendingUploadSummary> uploads, Workers workers)
      throws IOException {
    Map<String, UploadOwner> owners = new HashMap<>();
    for (PendingUploadSummary upload : uploads) {
      Optional.ofNullable(jobOfUpload.get(upload.uploadId()))
          .or(() -> named(upload.key()))
          .map(jobs::get)
          .ifPresent(job -> owners.put(upload.uploadId(), job));
    }
    workers.forEach(new HashSet<>(owners.values()), job -> job.settle(since));
    for (PendingUploadSummary upload : uploads) {
      Optional.ofNullable(owners.get(upload.uploadId()))
          .ifPresent(job -> job.sign(upload.initiated()));
    }
    return owners;
  }

  /** The id of a job that a key carries. */
  private Optional<String> named(String key) {
    Matcher ids = JOB_ID.matcher(key);
    for (int from = 0; ids.find(from); from = ids.start() + 1) {
      if (jobs.containsKey(ids.group())) {
        return Optional.of(ids.group());
      }
    }
    return Optional.empty();
  }
}
