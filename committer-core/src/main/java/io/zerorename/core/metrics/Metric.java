package io.zerorename.core.metrics;

import io.zerorename.core.parallel.Workers;
import io.zerorename.core.upload.Buffering;
import java.util.OptionalLong;

/**
 * What {@link CommitterMetrics} shows: what it counts from the start of the process, and what the
 * process has in use now.
 */
public enum Metric {
  COMMITS("Commits", "Commits that made all of their files visible"),
  COMMITS_FAILED("CommitsFailed", "Commits that failed before their decision, without any trace"),
  COMMITS_UNKNOWN("CommitsUnknown", "Commits of which the outcome is open or not all is done"),
  COMMITS_DAMAGED("CommitsDamaged", "Commits of which files are lost"),
  COMMITS_RECOVERED(
      "CommitsRecovered", "Interrupted commits of other processes that this one has completed"),
  JOBS_ABORTED("JobsAborted", "Jobs and INSERTs that were aborted before their commit"),
  FILES("FilesCommitted", "Files made visible by commits of this process"),
  BYTES("BytesCommitted", "Bytes in those files"),
  FILES_REPLACED("FilesReplaced", "Old files deleted by commits of this process"),
  /** Of completed commits. */
  COMMIT_MILLIS("CommitMillis", "Milliseconds that the commits took together"),
  /** By the committer, in tasks that run in this process as well. */
  REQUESTS("Requests", "Requests to S3, repeated ones too"),
  /** 503 SlowDown and the like. */
  THROTTLED("ThrottledAnswers", "Answers of S3 that asked for fewer requests"),
  /** Of attempts that were not chosen, and of aborted jobs. */
  UPLOADS_ABORTED("UploadsAborted", "Pending uploads aborted"),
  FALLBACKS("Fallbacks", "INSERTs into S3 that kept Hive's own rename path"),
  /** What {@code zerorename.process.threads} limits. */
  THREADS("Threads", "Threads that commits and aborts have beside one of each"),
  /** What {@code zerorename.upload.memory.limit} limits. */
  UPLOAD_MEMORY("UploadMemory", "Bytes of memory that hold unsent files");

  private final String attribute;
  final String meaning;

  Metric(String attribute, String meaning) {
    this.attribute = attribute;
    this.meaning = meaning;
  }

  /** The name that JMX shows. */
  public String attribute() {
    return attribute;
  }

  /** How much is in use now; empty where it is counted. */
  OptionalLong inUse() {
    return switch (this) {
      case THREADS -> OptionalLong.of(Workers.furtherThreads());
      case UPLOAD_MEMORY -> OptionalLong.of(Buffering.memoryUsed());
      default -> OptionalLong.empty();
    };
  }
}
