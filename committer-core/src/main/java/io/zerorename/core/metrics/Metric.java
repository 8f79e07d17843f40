package io.zerorename.core.metrics;

/** What {@link CommitterMetrics} counts, from the start of the process. */
public enum Metric {
  COMMITS("Commits", "Commits that made all of their files visible"),
  COMMITS_FAILED("CommitsFailed", "Commits that failed before their decision, without any trace"),
  COMMITS_UNKNOWN("CommitsUnknown", "Commits of which the outcome is open or not all is done"),
  COMMITS_DAMAGED("CommitsDamaged", "Commits of which files are lost"),
  COMMITS_RECOVERED(
      "CommitsRecovered", "Interrupted commits of other processes that this one has completed"),
  JOBS_ABORTED("JobsAborted", "Jobs and INSERTs that were given up before their commit"),
  FILES("FilesCommitted", "Files made visible by commits of this process"),
  BYTES("BytesCommitted", "Bytes in those files"),
  FILES_REPLACED("FilesReplaced", "Old files deleted by commits of this process"),
  /** Of commits that came to their end. */
  COMMIT_MILLIS("CommitMillis", "Milliseconds that the commits took together"),
  /** By the committer, in tasks that run in this process as well. */
  REQUESTS("Requests", "Requests to S3, each counted once however often S3A repeats it"),
  /** 503 SlowDown and the like. */
  THROTTLED("ThrottledAnswers", "Answers of S3 that asked for fewer requests"),
  /** Of attempts that were not chosen, and of jobs that were given up. */
  UPLOADS_ABORTED("UploadsAborted", "Pending uploads aborted"),
  FALLBACKS("Fallbacks", "INSERTs into S3 that kept Hive's own rename path");

  private final String attribute;
  private final String meaning;

  Metric(String attribute, String meaning) {
    this.attribute = attribute;
    this.meaning = meaning;
  }

  /** The name that JMX and sinks show. */
  public String attribute() {
    return attribute;
  }

  /** In a few words, for JMX and sinks. */
  public String meaning() {
    return meaning;
  }
}
