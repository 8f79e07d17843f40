package io.zerorename.magic.job;

import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.magic.fs.PendingFileSystem;
import io.zerorename.magic.fs.PendingSession;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSnapshot;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits one output of a job on S3 without renames. Task attempts upload to the files' final keys,
 * and job commit completes the uploads.
 *
 * <p>Any number of instances may exist, in the processes of the tasks and of the job. They share
 * the job's records. Only the instance that has set a task attempt up can commit it, because it
 * holds the attempt's open files.
 *
 * <p>It is a {@link FileOutputCommitter}, whose code it does not use, because some callers ask no
 * other class for a work path: Spark's default commit protocol
 * (HadoopMapReduceCommitProtocol.newTaskTempFile) and Avro's output formats. That class passes all
 * calls of a task on to the methods that take a path as well; here all files of an attempt are
 * below its work path.
 */
public final class MagicCommitter extends FileOutputCommitter implements IOStatisticsSource {
  private static final Logger LOG = LoggerFactory.getLogger(MagicCommitter.class);

  private final Path destination;
  private final Path workPath;
  private final Function<JobContext, ObjectStores> stores;
  private final IOStatisticsSnapshot statistics = new IOStatisticsSnapshot();
  private AttemptOutput attempt;
  private boolean setUp;
  private boolean committed;

  /** When this instance has set the job up, if it was the first to do so. */
  private Optional<SetupRecord> begun = Optional.empty();

  /** Whether the engine runs all tasks of the job again, which an earlier attempt of it had run. */
  private boolean restarts;

  /** The tasks that earlier attempts of the job have committed; listed once. */
  private Set<String> recoverable;

  /**
   * A committer for a task attempt, or, with any attempt's context, for a job.
   *
   * @param output a directory on S3A
   * @throws IOException where it is the root of a bucket, or not on S3A
   */
  public MagicCommitter(Path output, TaskAttemptContext context) throws IOException {
    this(output, (JobContext) context);
  }

  /** The same; without an attempt there is no work path. */
  public MagicCommitter(Path output, JobContext context) throws IOException {
    this(onS3A(output, context.getConfiguration()), context, JobOutput::s3a);
  }

  MagicCommitter(Path output, JobContext context, Function<JobContext, ObjectStores> stores)
      throws IOException {
    // Without a path, the superclass creates none of its own.
    super(null, context);
    this.destination = output;
    this.stores = stores;
    this.workPath = context instanceof TaskAttemptContext attempt ? workPath(attempt) : null;
  }

  private static Path onS3A(Path output, Configuration conf) throws IOException {
    if (!S3AFileSystems.holds(output, conf)) {
      // Spark SQL can be configured to use this class for all Parquet.
      throw new IOException(
          ("ZR-6121: Cannot commit to %s: it is not on S3A, and MagicCommitter commits nowhere"
                  + " else. Let Hadoop or Spark ask MagicCommitterFactory for a committer; for"
                  + " Parquet in Spark SQL, set spark.sql.parquet.output.committer.class to"
                  + " org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter.")
              .formatted(output));
    }
    return output;
  }

  @Override
  public Path getOutputPath() {
    return destination;
  }

  @Override
  public Path getWorkPath() {
    return workPath;
  }

  @Override
  public Path getTaskAttemptPath(TaskAttemptContext context) {
    return workPath;
  }

  private JobOutput open(JobContext context) throws IOException {
    return JobOutput.open(destination, context, stores);
  }

  /**
   * The path that record writers of an attempt get in place of the destination, the same in every
   * process. Makes the context's configuration find the file system of such paths.
   */
  public Path workPath(TaskAttemptContext context) throws IOException {
    PendingFileSystem.register(context.getConfiguration());
    try (JobOutput job = open(context)) {
      return PendingSession.pathOf(job.destination(), job.sessionOf(JobOutput.attemptOf(context)));
    }
  }

  /**
   * Begins a job, or continues one whose earlier attempt was killed.
   *
   * @throws PathExistsException if the destination must be empty and is not
   */
  @Override
  public synchronized void setupJob(JobContext context) throws IOException {
    try (JobOutput output = open(context)) {
      begun = new JobSetup(output).run();
      setUp = true;
      if (restarts
          && begun.isEmpty()
          && SetupRecord.decision(output.records(), output.log()).isPresent()) {
        commitJob(context);
        throw new IOException(
            "ZR-6101: "
                + output.description()
                + " is complete: an earlier attempt of the application master had begun to commit"
                + " it, and this one has completed the commit. The job is reported as failed only"
                + " because its finished tasks could not be recovered. Read the output; do not"
                + " submit the job again.");
      }
      LOG.info(
          "{} will be committed without renames; records are in {}",
          output.description(),
          output.workDir());
    }
  }

  /** Begins a task attempt in this process. May be repeated, as with Hadoop's own committer. */
  @Override
  public void setupTask(TaskAttemptContext context) throws IOException {
    PendingFileSystem.register(context.getConfiguration());
    if (attempt == null || !attempt.isOpen(JobOutput.attemptOf(context))) {
      attempt = new AttemptOutput(open(context), context);
    }
  }

  /** Whether the attempt has files; one that has none ends here. */
  @Override
  public boolean needsTaskCommit(TaskAttemptContext context, Path ignored) throws IOException {
    return attempt(context).needsCommit(context);
  }

  /** Publishes the attempt's manifest for job commit. */
  @Override
  public void commitTask(TaskAttemptContext context, Path ignored) throws IOException {
    attempt(context).commit(context, statistics);
  }

  private AttemptOutput attempt(TaskAttemptContext context) throws IOException {
    if (attempt == null || !attempt.id().equals(JobOutput.attemptOf(context))) {
      throw new IOException(
          ("ZR-6102: Task attempt %s cannot be committed by a committer that has not set it up:"
                  + " its open files belong to another instance. Call setupTask and commitTask of"
                  + " the same one.")
              .formatted(context.getTaskAttemptID()));
    }
    return attempt;
  }

  /**
   * Aborts an attempt and its uploads, in its own process or in another. If it has committed, its
   * uploads stay, because job commit may have chosen them.
   */
  @Override
  public void abortTask(TaskAttemptContext context, Path ignored) throws IOException {
    String attemptId = JobOutput.attemptOf(context);
    boolean aborted = false;
    try (JobOutput output = open(context)) {
      aborted = output.records().attempts().abort(attemptId);
    } finally {
      if (attempt != null && attempt.id().equals(attemptId)) {
        attempt.abort(aborted);
      }
    }
    if (!aborted) {
      LOG.info(
          "Task attempt {} is aborted after its commit; job commit may still choose its files",
          attemptId);
    }
  }

  /**
   * Checks that the files of a task that succeeded in an earlier attempt of the job can still be
   * committed.
   *
   * @throws IOException if they cannot; the task must run again
   */
  @Override
  public void recoverTask(TaskAttemptContext context) throws IOException {
    String task = context.getTaskAttemptID().getTaskID().toString();
    try (JobOutput output = open(context)) {
      JobDirectory job = output.records();
      String attemptId = context.getTaskAttemptID().toString();
      // Not by the attempt: Tez names it by the one of the application.
      if (recoverable(job).contains(task) || SetupRecord.decision(job, output.log()).isPresent()) {
        return;
      }
      // Where a later master has begun the job, the records of an earlier one are gone: they are
      // deleted when none has come for days. Its own beginning does not tell that to a committer:
      // an output of Tez has one for each vertex, and the first of them has begun the job; and a
      // third master is asked for tasks of the first one, too.
      if (SetupRecord.of(job).master() > 1 || job.hasFiles(attemptId)) {
        throw new IOException(
            ("ZR-6103: Task attempt %s may have written files, but %s has no record of its commit;"
                    + " the task has to run again")
                .formatted(attemptId, job.path()));
      }
      LOG.info("Task {} has written no file, there is nothing to recover", task);
    }
  }

  private synchronized Set<String> recoverable(JobDirectory job) throws IOException {
    if (recoverable == null) {
      // As text: a task's id of Hadoop's older API is never equal to one of the newer.
      Set<String> tasks = new HashSet<>();
      for (String id : job.attempts().ids()) {
        if (job.attempts().of(id).isPresent()) {
          tasks.add(TaskAttemptID.forName(id).getTaskID().toString());
        }
      }
      recoverable = tasks;
    }
    return recoverable;
  }

  @Override
  public boolean isCommitJobRepeatable(JobContext context) {
    return true;
  }

  /** Makes the files of the job visible. May be repeated, also by a later attempt of the job. */
  @Override
  public synchronized void commitJob(JobContext context) throws IOException {
    try (JobOutput output = open(context)) {
      JobDirectory job = output.records();
      statistics.aggregate(new OutputCommit(output, context, job, begun(job)).run());
      committed = true;
    }
  }

  private Optional<SetupRecord> begun(JobDirectory job) throws IOException {
    return begun.isPresent() ? begun : SetupRecord.find(job);
  }

  /**
   * Aborts the job. If its commit was decided it is completed instead, because a decision cannot be
   * rolled back.
   *
   * <p>MapReduce's application master also calls this to remove temporary files although another
   * attempt of it follows or has just begun: that decides nothing.
   */
  @Override
  public synchronized void abortJob(JobContext context, JobStatus.State state) throws IOException {
    if (committed) {
      return;
    }
    try (JobOutput output = open(context)) {
      if (beginsAnew(output.conf()) || mayBeContinued(output.conf())) {
        restarts |= !setUp;
        LOG.info(
            "{} is not aborted: an attempt of the application master begins anew, or may follow",
            output.description());
        return;
      }
      JobDirectory job = output.records();
      if (!output.recordsOnS3() && job.log().isEmpty()) {
        AttemptOutput.abortAll(output.jobId());
        LOG.info("{} is aborted before it was set up", output.description());
        return;
      }
      CommitLog log = output.log();
      OptionalInt aborted =
          new JobAbort(
                  output.stores(),
                  job,
                  log,
                  output.commitSettings(),
                  begun(job).map(SetupRecord::begun))
              .run();
      if (aborted.isPresent()) {
        // Not before: a decided plan may have chosen what an attempt is just publishing.
        AttemptOutput.abortAll(output.jobId());
        LOG.info("{} is aborted, with {} uploads", output.description(), aborted.getAsInt());
        return;
      }
      LOG.warn(
          "ZR-6106: {} was to be aborted after its commit was decided (see {}). A decision cannot"
              + " be rolled back, so the commit is completed: its files are visible although the"
              + " job is reported as failed or killed.",
          output.description(),
          log.location());
    }
    commitJob(context);
  }

  /** MRAppMaster.cleanUpPreviousJobOutput, before it sets up a job that it could not recover. */
  private boolean beginsAnew(Configuration conf) {
    return !setUp && attemptOfMaster(conf) > 1;
  }

  /** MRAppMasterShutdownHook, on every signal: preemption, a node that is taken out of service. */
  private static boolean mayBeContinued(Configuration conf) {
    int last = conf.getInt(MRJobConfig.MR_AM_MAX_ATTEMPTS, MRJobConfig.DEFAULT_MR_AM_MAX_ATTEMPTS);
    return attemptOfMaster(conf) > 0
        && attemptOfMaster(conf) < last
        && ShutdownHookManager.get().isShutdownInProgress();
  }

  /** 0 where it is not MapReduce's. */
  private static int attemptOfMaster(Configuration conf) {
    return conf.get(JobOutput.TEZ_DAG) == null
        ? conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 0)
        : 0;
  }

  /** Of the commits of this instance, of a task attempt or of the job. */
  @Override
  public IOStatistics getIOStatistics() {
    return statistics;
  }

  @Override
  public String toString() {
    return "MagicCommitter{output=" + destination + ", workPath=" + workPath + "}";
  }
}
