package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.s3a.AuditLabels;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.Failures;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.magic.fs.PendingFileSystem;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.TaskContext;
import org.apache.spark.mapred.SparkHadoopMapRedUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one task attempt writes: a session of the pending file system for each bucket. Ends with
 * {@link #commit} or {@link #abort}.
 */
final class TaskWrite {
  private static final Logger LOG = LoggerFactory.getLogger(TaskWrite.class);

  private final String jobId;
  private final Path destination;
  private final Configuration conf;
  private final int split;
  private final String attemptId;
  private final S3AObjectStores stores;
  private final Map<String, PendingSession> sessions = new TreeMap<>();
  private byte[] message;

  /** Sends no request. */
  TaskWrite(String jobId, Path destination, TaskAttemptContext context) {
    this.jobId = requireNonNull(jobId);
    this.destination = requireNonNull(destination);
    this.conf = context.getConfiguration();
    this.split = context.getTaskAttemptID().getTaskID().getId();
    this.attemptId = context.getTaskAttemptID().toString();
    this.stores =
        new S3AObjectStores(conf, AuditLabels.of(conf).ofJob(jobId).ofTaskAttempt(attemptId));
    PendingFileSystem.register(conf);
  }

  /**
   * The path by which a record writer writes a file.
   *
   * @param directory in which the file will appear
   */
  Path file(Path directory, String prefix, String suffix) throws IOException {
    if (!S3AFileSystems.holds(directory, conf)) {
      throw new IOException(
          ("ZR-7106: cannot write a file of a partition at %s, which is not on S3A, together with files at"
                  + " %s. Move the partition to S3, or write it by a statement of its own.")
              .formatted(directory, destination));
    }
    // As Spark names files, since 4.0 by the key as well.
    String name =
        String.format(
            Locale.ROOT,
            "%s%s-%05d-%s%s",
            prefix,
            conf.get("mapreduce.output.basename", "part"),
            split,
            jobId,
            suffix);
    Path file = new Path(directory, name);
    return session(file).pathOf(file);
  }

  private PendingSession session(Path file) throws IOException {
    String bucket = file.toUri().getAuthority();
    PendingSession session = sessions.get(bucket);
    if (session == null) {
      session =
          PendingSession.open(
              conf,
              new SessionSpec(
                  file,
                  jobId,
                  // The driver learns of all uploads by the messages of its tasks.
                  writer -> {},
                  attemptId,
                  attemptId + "-" + jobId + "-" + bucket,
                  InlineSettings.none(),
                  path -> path),
              stores);
      sessions.put(bucket, session);
    }
    return session;
  }

  private boolean hasFiles() {
    return sessions.values().stream().anyMatch(PendingSession::hasFiles);
  }

  /**
   * Ends the attempt, if the driver lets it: of several attempts of a task only one may commit.
   *
   * @return a {@link TaskMessage} for the driver
   */
  byte[] commit(TaskAttemptContext context) throws IOException {
    SparkHadoopMapRedUtil.commitTask(
        new Permission(), context, context.getTaskAttemptID().getJobID().getId(), split);
    if (message == null) {
      collect();
    }
    return message;
  }

  private void collect() throws IOException {
    List<OutputFile> files = new ArrayList<>();
    for (PendingSession session : sessions.values()) {
      files.addAll(session.files());
    }
    TaskContext spark = TaskContext.get();
    message =
        new TaskMessage(
                spark.attemptNumber() == 0 && spark.stageAttemptNumber() == 0,
                TaskManifest.of(jobId, attemptId, files))
            .toBytes();
    close();
  }

  /** Aborts what the attempt has uploaded, unless it has committed. */
  void abort() {
    if (message != null) {
      return;
    }
    try {
      Failures failures = new Failures();
      sessions.values().forEach(session -> failures.of(session::abort));
      failures.of(this::close);
      failures.throwAny();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-7107: Not all uploads of task attempt {} to {} could be aborted; the end of the write tries it"
              + " again",
          attemptId,
          destination,
          e);
    }
  }

  private void close() throws IOException {
    try (stores) {
      Failures failures = new Failures();
      sessions.values().forEach(session -> failures.of(session::close));
      failures.throwAny();
    }
  }

  /** What Spark's coordination of commits knows of a task: Hadoop's committer. */
  private final class Permission extends OutputCommitter {
    @Override
    public boolean needsTaskCommit(TaskAttemptContext context) {
      return hasFiles();
    }

    @Override
    public void commitTask(TaskAttemptContext context) throws IOException {
      collect();
    }

    @Override
    public void abortTask(TaskAttemptContext context) {
      abort();
    }

    @Override
    public void setupJob(JobContext context) {}

    @Override
    public void setupTask(TaskAttemptContext context) {}
  }
}
