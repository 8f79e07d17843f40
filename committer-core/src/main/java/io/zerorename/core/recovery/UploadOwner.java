package io.zerorename.core.recovery;

import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.util.functional.RemoteIterators;

/** A job that may own pending uploads, as the records describe it. */
final class UploadOwner {
  private final String id;
  private final CommitLog log;
  private Optional<JobDirectory> directory = Optional.empty();
  private UploadStatus status = UploadStatus.UNDECIDED;
  private Set<String> committed = Set.of();
  private Instant active = Instant.EPOCH;

  UploadOwner(String id, CommitLog log) {
    this.id = id;
    this.log = log;
  }

  void isAt(JobDirectory records) {
    directory = Optional.of(records);
  }

  void cannotBeRead() {
    status = UploadStatus.UNREADABLE;
  }

  String id() {
    return id;
  }

  CommitLog log() {
    return log;
  }

  /** Of its records on the cluster file system, where it has any. */
  Optional<JobDirectory> directory() {
    return directory;
  }

  /** When it last gave a sign of life. */
  Instant active() {
    return active;
  }

  /** What may be done with an upload of it. */
  UploadStatus of(String uploadId) {
    return status == UploadStatus.COMMITTED && !committed.contains(uploadId)
        ? UploadStatus.ORPHANED
        : status;
  }

  void sign(Instant time) {
    active = active.isAfter(time) ? active : time;
  }

  /**
   * Decides against it, unless it is decided.
   *
   * @return whether it can never commit
   */
  boolean abort(Instant since) throws IOException {
    LogTail tail = log.tailSince(since);
    LogEntry existing = log.decideAgainst(id, tail);
    boolean aborted = existing.kind() == EntryKind.VOID;
    if (aborted && !tail.isDone(existing.number())) {
      log.end(existing, Ending.COMPLETE, EndNote.NOTHING);
    }
    return aborted;
  }

  /**
   * Finds out how it stands; some requests per entry that is not quiet.
   *
   * @param since no entry of it is older
   */
  void settle(Instant since) throws IOException {
    try {
      LogTail tail = log.tailSince(since);
      Optional<LogEntry> entry = log.find(id, tail);
      if (entry.isEmpty()) {
        return;
      }
      if (entry.get().kind() == EntryKind.VOID || tail.isDone(entry.get().number())) {
        status = UploadStatus.ORPHANED;
        return;
      }
      status = UploadStatus.COMMITTED;
      Set<String> named = new HashSet<>();
      RemoteIterators.foreach(
          log.plan(entry.get()).uploads(), upload -> named.add(upload.uploadId()));
      committed = named;
    } catch (MalformedManifestException e) {
      status = UploadStatus.UNREADABLE;
    }
  }
}
