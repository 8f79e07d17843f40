package io.zerorename.magic.job;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.store.Failures;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.magic.CommitterCounter;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.statistics.IOStatisticsSetters;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The output of one task attempt, in its own process. */
final class AttemptOutput implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptOutput.class);

  /**
   * Those of this JVM that are open and in use, and their jobs. One that an engine has dropped is
   * not kept for that: its file system closes its uploads, or the abort of the job does.
   */
  private static final Map<AttemptOutput, String> OPEN =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final JobOutput output;
  private final JobDirectory job;
  private final String attemptId;
  private final PendingSession session;

  /** From then on job commit may have chosen the uploads: only the records say. */
  private boolean published;

  /**
   * @param output is closed with this
   */
  AttemptOutput(JobOutput output, TaskAttemptContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    this.output = output;
    attemptId = JobOutput.attemptOf(context);
    try {
      output.requireIdOfExecution();
      job = output.records();
      session =
          PendingSession.open(
              conf,
              new SessionSpec(
                  output.destination(),
                  job.jobId(),
                  job::noteWriter,
                  attemptId,
                  output.sessionOf(attemptId),
                  InlineSettings.none(),
                  output.plainNames(job)
                      ? path -> path
                      : new UniqueNames(output.destination(), output.jobId())),
              output.stores());
    } catch (IOException | RuntimeException e) {
      output.close();
      throw e;
    }
    OPEN.put(this, output.jobId());
  }

  /** Ends what attempts of a job, which is aborted, have left open in this JVM. */
  static void abortAll(String jobId) throws IOException {
    List<AttemptOutput> left;
    synchronized (OPEN) {
      left = OPEN.keySet().stream().filter(it -> jobId.equals(OPEN.get(it))).toList();
    }
    Failures failures = new Failures();
    left.forEach(attempt -> failures.of(() -> attempt.abort(true)));
    failures.throwAny();
  }

  String id() {
    return attemptId;
  }

  /** Whether this is an attempt, and has not ended. */
  boolean isOpen(String taskAttemptId) {
    return attemptId.equals(taskAttemptId) && OPEN.containsKey(this);
  }

  /**
   * Whether it has files; one that has none ends here. Warns if it has put out records all the
   * same.
   *
   * @throws IOException if files were written to another committer's path
   */
  boolean needsCommit(TaskAttemptContext context) throws IOException {
    StrayFiles stray = new StrayFiles(output);
    stray.refuseOtherWorkPath(context);
    if (session.hasFiles()) {
      return true;
    }
    long records = StrayFiles.records(context);
    if (records > 0) {
      stray.refuseFiles();
      count(context, CommitterCounter.RECORDS_WITHOUT_FILE, records);
      LOG.warn(
          "ZR-2232: Task attempt {} has put out {} records, and no file to {}. If they belong"
              + " there, its output format has written them elsewhere: it must take the path of its"
              + " files from the job's committer.",
          attemptId,
          records,
          output.destination());
    }
    close();
    return false;
  }

  /**
   * Publishes the manifest for job commit, and ends the session.
   *
   * @param statistics get the figures of the commit
   */
  void commit(TaskAttemptContext context, IOStatisticsSetters statistics) throws IOException {
    new StrayFiles(output).refuseOtherWorkPath(context);
    long start = System.nanoTime();
    List<OutputFile> files = session.files();
    published = true;
    job.attempts().publish(TaskManifest.of(job.jobId(), attemptId, files));
    close();
    long bytes = files.stream().mapToLong(OutputFile::length).sum();
    // Under the names of S3A's committers.
    statistics.setCounter("committer_tasks_completed", 1);
    statistics.setCounter("committer_commits_created", files.size());
    statistics.setCounter("committer_bytes_uploaded", bytes);
    long requests = output.stores().requests().values().stream().mapToLong(it -> it).sum();
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    count(context, CommitterCounter.FILES, files.size());
    count(context, CommitterCounter.BYTES, bytes);
    count(context, CommitterCounter.REQUESTS, requests);
    count(context, CommitterCounter.COMMIT_MILLIS, millis);
  }

  /** Spark has no counters for the older API. */
  private static void count(TaskAttemptContext context, CommitterCounter name, long amount) {
    Counter counter = context.getCounter(name);
    if (counter != null) {
      counter.increment(amount);
    }
  }

  /**
   * Aborts the uploads.
   *
   * @param aborted whether the records say that the attempt was aborted
   */
  void abort(boolean aborted) throws IOException {
    try (this) {
      if (aborted || !published) {
        session.abort();
      }
    }
  }

  @Override
  public void close() throws IOException {
    OPEN.remove(this);
    try (output) {
      session.close();
    }
  }
}
