package io.zerorename.magic.job;

import io.zerorename.core.commit.SeenLog;
import io.zerorename.core.document.VersionedJson;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * The record of a job's set-up for its tasks, its later attempts, and operators. The first attempt
 * writes it.
 *
 * @param description the job in a person's words
 * @param plainNames whether files keep the names that the output format gives them
 * @param begun when the job was set up first
 * @param master the attempt of the application master that did so, from 1
 * @param seen of the log then
 */
record SetupRecord(
    String description, boolean plainNames, Instant begun, int master, SeenLog seen) {
  private static final String NAME = "job.json";
  private static final VersionedJson JSON =
      new VersionedJson("record of a job", 5, "It was damaged after the job had begun.");

  /** Writes this, unless the job was set up before; returns whether it did. */
  boolean keep(JobDirectory job) throws IOException {
    return job.write(NAME, JSON.write(this));
  }

  static Optional<SetupRecord> find(JobDirectory job) throws IOException {
    Optional<byte[]> document = job.read(NAME);
    return document.isPresent()
        ? Optional.of(JSON.read(document.get(), job.path() + "/" + NAME, SetupRecord.class))
        : Optional.empty();
  }

  /**
   * @throws IOException if there is no record
   */
  static SetupRecord of(JobDirectory job) throws IOException {
    return find(job)
        .orElseThrow(
            () ->
                new IOException(
                    ("ZR-6110: There is no record %s/%s of the job: either its setupJob was never"
                            + " called, or zerorename.work.dir is not the same directory for the"
                            + " job and its tasks, or another program has deleted it while the job"
                            + " ran, or Spark's saveAsNewAPIHadoopDataset was given a"
                            + " configuration that is not a job's, so that its tasks do not get"
                            + " the job's id (give it Job.getConfiguration() or a JobConf).")
                        .formatted(job.path(), NAME)));
  }

  /** The entry that decides the job: all are searched if its set-up failed before the record. */
  static Optional<LogEntry> decision(JobDirectory job, CommitLog log) throws IOException {
    Instant begun = find(job).map(SetupRecord::begun).orElse(Instant.EPOCH);
    return log.find(job.jobId(), log.tailSince(begun));
  }
}
