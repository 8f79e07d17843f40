package io.zerorename.magic;

/** The counters of task commits, among those of a MapReduce job. */
public enum CommitterCounter {
  /** Files whose uploads the attempts left to the job's commit. */
  FILES,
  /** Bytes in those files. */
  BYTES,
  /** Requests to S3 that the attempts sent for those files. */
  REQUESTS,
  /** Time that the commits of the attempts took. */
  COMMIT_MILLIS,
  /** Output records of attempts that have written no file. */
  RECORDS_WITHOUT_FILE
}
