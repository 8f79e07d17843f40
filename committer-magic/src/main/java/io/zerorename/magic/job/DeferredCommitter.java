package io.zerorename.magic.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.AttemptAbort;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.Decision;
import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.ManifestSource;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.store.CountedStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PartBody;
import io.zerorename.magic.fs.PendingSession;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSnapshot;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits one output of a job on S3. Task attempts upload to the files' final keys, and the job's
 * commit completes the uploads.
 *
 * <p>Any number of instances may exist, in the processes of the tasks and in the one of the job.
 * What one must know of another is in the job's records; only the instance that has set a task
 * attempt up can commit it, because it holds the attempt's open files.
 */
public final class DeferredCommitter implements IOStatisticsSource {
  private static final Logger LOG = LoggerFactory.getLogger(DeferredCommitter.class);

  private final Path output;
  private final OwnedStores.Opener open;
  private final IOStatisticsSnapshot statistics = new IOStatisticsSnapshot();
  private AttemptOutput attempt;

  /**
   * A committer of the jobs that write to a directory.
   *
   * @param output on S3A; may lack its scheme where that is the default file system's
   */
  public DeferredCommitter(Path output) {
    this(output, OwnedStores::s3a);
  }

  /** A committer that reaches buckets in another way. */
  DeferredCommitter(Path output, OwnedStores.Opener open) {
    this.output = requireNonNull(output, "output");
    this.open = requireNonNull(open, "open");
  }

  /**
   * The path that record writers of an attempt get in place of the destination, the same in every
   * process. Makes the context's configuration find the file system of such paths.
   */
  public Path workPath(TaskAttemptContext context) throws IOException {
    PendingSession.register(context.getConfiguration());
    JobOutput job = JobOutput.of(output, context);
    return PendingSession.pathOf(
        job.destination(), job.sessionOf(context.getTaskAttemptID().toString()));
  }

  /**
   * Begins a job, or goes on with one of which an earlier attempt was killed; what that has left
   * stays.
   *
   * @throws PathExistsException where the destination must be empty and is not
   */
  public void setupJob(JobContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    ConflictMode mode = MapReduceKeys.CONFLICT_MODE.from(conf);
    JobOutput output = JobOutput.of(this.output, context);
    try (OwnedStores stores = open.on(conf)) {
      if (!output.recordsOnS3()) {
        WorkDirectory.of(output.workDir(), conf).openUndated();
      }
      JobDirectory job = output.records(stores, conf);
      Optional<Decision> decision = job.decisions().read();
      if (decision.isPresent()) {
        goOn(decision.get(), job, output, conf);
        return;
      }
      if (output.recordsOnS3()) {
        if (mode == ConflictMode.FAIL) {
          refuseExisting(output.destination(), stores);
        }
      } else if (JobNote.find(job).isEmpty()) {
        boolean empty = isEmpty(output.destination(), stores);
        if (mode == ConflictMode.FAIL && !empty) {
          throw exists(output.destination());
        }
        new JobNote(output.description(), empty).keep(job);
      }
    }
    LOG.info(
        "{} will be committed without renames; records are in {}",
        output.description(),
        output.workDir());
  }

  /** A later attempt of a job may find its predecessor's decision; the first may not. */
  private static void goOn(
      Decision decision, JobDirectory job, JobOutput output, Configuration conf)
      throws IOException {
    boolean later = conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 1) > 1;
    if (decision.plan().isEmpty() || !later) {
      throw new IOException(
          output.description()
              + " cannot begin: a job of the same id has "
              + (decision.plan().isEmpty() ? "been aborted" : "written there")
              + " before (see "
              + job.decisions().location()
              + "). Submit the job again, so that it gets an id of its own.");
    }
    LOG.info("{} goes on with the commit that an earlier attempt began", output.description());
  }

  private static void refuseExisting(Path destination, ObjectStores stores) throws IOException {
    if (!isEmpty(destination, stores)) {
      throw exists(destination);
    }
  }

  private static PathExistsException exists(Path destination) {
    return new PathExistsException(
        destination.toString(),
        "there are files, and "
            + MapReduceKeys.CONFLICT_MODE.name()
            + " is fail. Choose another destination, or set it to append or replace");
  }

  /** Whether there is no object below a directory, not counting its own marker. */
  private static boolean isEmpty(Path directory, ObjectStores stores) throws IOException {
    String prefix = ObjectKeys.prefixOf(directory);
    try {
      Iterator<ObjectSummary> objects = stores.forPath(directory).listObjects(prefix);
      while (objects.hasNext()) {
        if (!objects.next().key().equals(prefix)) {
          return false;
        }
      }
      return true;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Begins a task attempt in this process. */
  public void setupTask(TaskAttemptContext context) throws IOException {
    PendingSession.register(context.getConfiguration());
    attempt = new AttemptOutput(JobOutput.of(output, context), context, open);
  }

  /** Whether the attempt has files; one that has none ends here. */
  public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
    if (attempt(context).hasFiles()) {
      return true;
    }
    attempt.close();
    return false;
  }

  /** Hands the attempt's files to the job's commit. */
  public void commitTask(TaskAttemptContext context) throws IOException {
    attempt(context).commit(context);
  }

  private AttemptOutput attempt(TaskAttemptContext context) throws IOException {
    if (attempt == null) {
      throw new IOException(
          "Task attempt "
              + context.getTaskAttemptID()
              + " cannot be committed by a committer that has not set it up: its open files belong"
              + " to another instance. Call setupTask and commitTask of the same one.");
    }
    return attempt;
  }

  /**
   * Gives an attempt up and aborts its uploads, in its own process or in another. The uploads of
   * one that has committed stay, because the job's commit may have chosen them.
   */
  public void abortTask(TaskAttemptContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    JobOutput output = JobOutput.of(this.output, context);
    String attemptId = context.getTaskAttemptID().toString();
    boolean givenUp = false;
    try (OwnedStores stores = open.on(conf)) {
      AttemptAbort abort =
          new AttemptAbort(stores, output.records(stores, conf), CommitSettings.from(conf));
      givenUp = abort.run(attemptId);
    } finally {
      if (attempt != null) {
        attempt.abort(givenUp);
      }
    }
    if (!givenUp) {
      LOG.info(
          "Task attempt {} is aborted after it has committed; its files stay a candidate for the"
              + " job's commit",
          attemptId);
    }
  }

  /**
   * Makes sure that the files of a task that an earlier attempt of the job has seen succeed are
   * still there to be committed.
   *
   * @throws IOException where they are not; the task is to run again
   */
  public void recoverTask(TaskAttemptContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    JobOutput output = JobOutput.of(this.output, context);
    TaskID task = context.getTaskAttemptID().getTaskID();
    try (OwnedStores stores = open.on(conf)) {
      JobDirectory job = output.records(stores, conf);
      String attemptId = context.getTaskAttemptID().toString();
      if (job.attempts().of(attemptId).isPresent() || job.decisions().read().isPresent()) {
        return;
      }
      // Tez names the attempt by the one of the application.
      for (String other : job.attempts().ids()) {
        if (TaskAttemptID.forName(other).getTaskID().equals(task)
            && job.attempts().of(other).isPresent()) {
          return;
        }
      }
      if (job.hasUploads(attemptId)) {
        throw new IOException(
            "Task attempt "
                + attemptId
                + " has written files and there is no record of its commit in "
                + job.path()
                + "; the task has to run again");
      }
      LOG.info("Task {} has written no file, there is nothing to recover", task);
    }
  }

  /** Makes the files of the job visible. May be repeated, also by a later attempt of the job. */
  public void commitJob(JobContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    JobOutput output = JobOutput.of(this.output, context);
    try (OwnedStores stores = open.on(conf)) {
      CountedStores counted = new CountedStores(stores);
      JobReport report;
      try {
        report = commit(output, counted, conf);
      } catch (IOException | RuntimeException e) {
        keepReport(JobReport.failed(output, e), conf);
        throw e;
      }
      report.metrics().forEach((name, value) -> statistics.setCounter("zerorename_" + name, value));
      keepReport(report, conf);
      LOG.info("{} is committed: {}", output.description(), report.metrics());
    }
    purge(output, conf);
  }

  private static JobReport commit(JobOutput output, CountedStores stores, Configuration conf)
      throws IOException {
    JobDirectory job = output.records(stores, conf);
    boolean plainNames =
        output.recordsOnS3()
            ? MapReduceKeys.CONFLICT_MODE.from(conf) == ConflictMode.FAIL
            : JobNote.of(job).plainNames();
    CommitReport report =
        new JobCommit(stores, job, CommitSettings.from(conf))
            .run(
                new CommitRequest(
                    output.jobId(),
                    output.description(),
                    onePerTask(job),
                    List.of(output.destination()),
                    MapReduceKeys.CONFLICT_MODE.from(conf) == ConflictMode.REPLACE
                        ? Overwrite.directory(output.destination())
                        : Overwrite.none(),
                    plainNames));
    JobReport result =
        JobReport.committed(
            output, report, stores.counts().toMap(), MapReduceKeys.SUCCESS_FILE_LIMIT.from(conf));
    if (conf.getBoolean(FileOutputCommitter.SUCCESSFUL_JOB_OUTPUT_DIR_MARKER, true)) {
      Path marker = new Path(output.destination(), FileOutputCommitter.SUCCEEDED_FILE_NAME);
      stores
          .forPath(marker)
          .putObject(ObjectKeys.of(marker), PartBody.of(result.toJson()), Map.of());
    } else if (report.files() == 0) {
      // As with Hadoop's own committer, whoever reads the destination next finds a directory.
      stores
          .forPath(output.destination())
          .putObject(ObjectKeys.prefixOf(output.destination()), PartBody.of(new byte[0]), Map.of());
    }
    return result;
  }

  /**
   * The manifests of one attempt per task. Where several have committed, as a preempted one does
   * without asking, each is a whole output of the task; the latest is taken.
   */
  private static ManifestSource onePerTask(JobDirectory job) {
    return workers -> {
      Map<TaskID, TaskManifest> chosen = new HashMap<>();
      for (TaskManifest manifest : job.attempts().published(workers)) {
        TaskAttemptID attemptId = TaskAttemptID.forName(manifest.taskAttemptId());
        chosen.merge(attemptId.getTaskID(), manifest, LATER);
      }
      return List.copyOf(chosen.values());
    };
  }

  private static final BinaryOperator<TaskManifest> LATER =
      BinaryOperator.maxBy(
          Comparator.comparing(manifest -> TaskAttemptID.forName(manifest.taskAttemptId())));

  /** A report is for people; the job has ended as it has, whether or not one can be written. */
  private static void keepReport(JobReport report, Configuration conf) {
    Optional<String> directory = MapReduceKeys.REPORT_DIR.find(conf);
    if (directory.isEmpty()) {
      return;
    }
    Path file = new Path(directory.get(), report.jobId() + ".json");
    try {
      FileSystem fileSystem = file.getFileSystem(conf);
      try (OutputStream out = fileSystem.create(file, true)) {
        out.write(report.toJson());
      }
    } catch (IOException e) {
      LOG.warn("Cannot write the report {} (see {})", file, MapReduceKeys.REPORT_DIR.name(), e);
    }
  }

  private static void purge(JobOutput output, Configuration conf) {
    if (output.recordsOnS3()) {
      return;
    }
    try {
      WorkDirectory.of(output.workDir(), conf).purge(LocalDate.now(ZoneOffset.UTC));
    } catch (IOException e) {
      LOG.warn("Cannot remove the records of old jobs from {}", output.workDir(), e);
    }
  }

  /** Gives the job up, unless its commit was decided; then that stands, and nothing is touched. */
  public void abortJob(JobContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    JobOutput output = JobOutput.of(this.output, context);
    try (OwnedStores stores = open.on(conf)) {
      JobDirectory job = output.records(stores, conf);
      JobAbort.Result result = new JobAbort(stores, job, CommitSettings.from(conf)).run();
      if (result instanceof JobAbort.Result.Aborted aborted) {
        LOG.info("{} is aborted, with {} uploads", output.description(), aborted.uploads());
      } else {
        LOG.error(
            "{} was to be aborted after its commit was decided. Its files are visible, or some of"
                + " them; what is left to do is in {}. Nothing was deleted.",
            output.description(),
            job.decisions().location());
      }
    }
  }

  /** Of the job commit, once it has ended. */
  @Override
  public IOStatistics getIOStatistics() {
    return statistics;
  }
}
