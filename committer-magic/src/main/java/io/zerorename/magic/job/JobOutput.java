package io.zerorename.magic.job;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.RunId;
import io.zerorename.core.s3a.AuditLabels;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * One output of one execution of a job, which every process of the job derives from its
 * configuration, and the stores for one piece of work on it.
 *
 * @param conf of the job, or of one of its task attempts
 * @param destination fully qualified
 * @param jobId a UUID of this output of this execution
 * @param engine the job's id in its engine
 * @param description the job in a person's words
 * @param workDir the directory of the user's records
 * @param recordsOnS3 whether that directory is a prefix of a bucket
 * @param stores are closed with this
 */
record JobOutput(
    Configuration conf,
    Path destination,
    String jobId,
    EngineJobId engine,
    String description,
    Path workDir,
    boolean recordsOnS3,
    ObjectStores stores)
    implements Closeable {
  /** Set by Tez, to the id of the DAG. */
  static final String TEZ_DAG = "job.committer.uuid";

  /**
   * Ids that engines give to one execution: Tez to a DAG (the application id that it passes for a
   * job id is shared by all DAGs of a session), Spark to a write.
   */
  private static final List<String> EXECUTION_IDS = List.of(TEZ_DAG, EngineJobId.SPARK_WRITE);

  /** As MapReduce numbers them. */
  private static final int ATTEMPTS_PER_MASTER = 1000;

  /** Sends nothing. */
  static JobOutput open(Path output, JobContext context, Function<JobContext, ObjectStores> stores)
      throws IOException {
    Configuration conf = context.getConfiguration();
    // S3A's working directory, which Hadoop and the job's readers use for relative paths.
    Path home = new Path("/user", UserGroupInformation.getCurrentUser().getShortUserName());
    Path destination = output.makeQualified(FileSystem.getDefaultUri(conf), home);
    if (ObjectKeys.prefixOf(destination).isEmpty()) {
      throw new IOException(
          ("ZR-6107: Cannot commit a job to %s: it is the root of a bucket. Give the job a"
                  + " directory in it.")
              .formatted(destination));
    }
    Path workDir = MapReduceKeys.workDir(conf);
    boolean recordsOnS3 = S3AFileSystems.holds(workDir, conf);
    // Readers would take the records for data, and a replacement would delete those of all jobs.
    if (recordsOnS3
        && (ObjectKeys.isAtOrBelow(workDir, destination)
            || ObjectKeys.isAtOrBelow(destination, workDir))) {
      throw new IOException(
          ("ZR-6108: Cannot commit a job to %s: the committer keeps its records in %s, and neither"
                  + " may lie in the other. Set %s to a directory where no job writes.")
              .formatted(destination, workDir, CoreKeys.WORK_DIR.name()));
    }
    String jobId = jobId(destination, context);
    EngineJobId engine = EngineJobId.of(context, jobId);
    String name = context.getJobName();
    return new JobOutput(
        conf,
        destination,
        jobId,
        engine,
        "The output of %s%s to %s"
            .formatted(
                engine.id(), name == null || name.isEmpty() ? "" : " (" + name + ")", destination),
        workDir,
        recordsOnS3,
        stores.apply(context));
  }

  /** S3A's stores, with the ids of the job and of the attempt for the access log. */
  static ObjectStores s3a(JobContext context) {
    AuditLabels labels = AuditLabels.of(context.getConfiguration());
    // The driver of Spark SQL has no job id.
    if (context.getJobID() != null) {
      labels = labels.ofJob(context.getJobID().toString());
    }
    if (context instanceof TaskAttemptContext attempt) {
      labels = labels.ofTaskAttempt(attempt.getTaskAttemptID().toString());
    }
    return new S3AObjectStores(context.getConfiguration(), labels);
  }

  /** Two sinks of a DAG differ in their destinations only. */
  private static String jobId(Path destination, JobContext context) {
    Configuration conf = context.getConfiguration();
    String execution =
        executionId(conf)
            // Job ids are unique in a cluster only, and random without one; the directory of the
            // submitted job distinguishes them.
            .orElseGet(
                () -> context.getJobID() + "\n" + conf.get(MRJobConfig.MAPREDUCE_JOB_DIR, ""));
    return UUID.nameUUIDFromBytes((execution + "\n" + destination).getBytes(StandardCharsets.UTF_8))
        .toString();
  }

  private static Optional<String> executionId(Configuration conf) {
    return EXECUTION_IDS.stream().map(conf::get).filter(Objects::nonNull).findFirst();
  }

  /**
   * Refuses a task that may have another id than its job. On a file system the job's record would
   * be missing; with records on S3, the job would be committed without the task's files.
   */
  void requireIdOfExecution() throws IOException {
    if (recordsOnS3
        && executionId(conf).isEmpty()
        && conf.get(MRJobConfig.MAPREDUCE_JOB_DIR) == null) {
      throw new IOException(
          ("ZR-6109: %s cannot be distinguished from other runs of the job: none of %s and %s is"
                  + " set for the task, and zerorename.work.dir, %s, is on S3. Spark sets its id"
                  + " only in a job's configuration: give saveAsNewAPIHadoopDataset"
                  + " Job.getConfiguration() or a JobConf. Elsewhere, set job.committer.uuid to a"
                  + " UUID of this run.")
              .formatted(
                  description,
                  String.join(", ", EXECUTION_IDS),
                  MRJobConfig.MAPREDUCE_JOB_DIR,
                  workDir));
    }
  }

  /** The destination's bucket, which may have settings of its own. */
  String bucket() {
    return ObjectKeys.bucketOf(destination);
  }

  /** A setting for that bucket. */
  <T> T get(ConfigKey<T> key) {
    return key.from(conf, bucket());
  }

  CommitSettings commitSettings() {
    return CommitSettings.from(conf, bucket());
  }

  JobDirectory records() throws IOException {
    Path directory = new Path(WorkDirectory.jobsOf(workDir), jobId);
    return recordsOnS3
        ? new JobDirectory(stores, directory, destination)
        : JobDirectory.of(directory, conf);
  }

  CommitLog log() {
    return new CommitLogs(stores, conf).of(destination);
  }

  /**
   * What resumes commits of other jobs to this destination.
   *
   * @param committed whether this job has committed files itself, and has left their {@code
   *     _SUCCESS}
   */
  OutputRecovery recovery(boolean committed) {
    return new OutputRecovery(
        description,
        destination,
        List.of(destination),
        conf,
        stores,
        committed && SuccessMarker.isWanted(conf));
  }

  OutputJob describe(boolean plainNames) {
    OutputJob job =
        new OutputJob(
            jobId,
            description,
            destination,
            List.of(destination),
            plainNames,
            SuccessMarker.wanted(SuccessMarker.isWanted(conf), engine));
    // A replacement may be repeated. Where Spark asks for a committer of Hadoop's, it has deleted
    // before what it replaces, and only adds.
    return get(MapReduceKeys.CONFLICT_MODE) == ConflictMode.REPLACE
            || conf.get(EngineJobId.SPARK_WRITE) != null
        ? job
        : RunId.idIn(conf)
            .map(id -> job.ofRun(new RunId(id, destination.toString(), "")))
            .orElse(job);
  }

  /**
   * Whether files keep the output format's names, because the destination was empty.
   *
   * @throws IOException if the job was not set up
   */
  boolean plainNames(JobDirectory job) throws IOException {
    return recordsOnS3
        // To read the record would cost each task a request.
        ? get(MapReduceKeys.CONFLICT_MODE) == ConflictMode.FAIL
        : SetupRecord.of(job).plainNames();
  }

  /** The attempt of the application master that runs the job now, from 1. */
  int master() {
    return conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 1);
  }

  /**
   * The id of a task attempt, unique in this execution. When its AM restarts, MapReduce numbers a
   * task's attempts from the next thousand. Tez begins at 0 again, unless its recovery log, which
   * is written with delay, has the earlier ones; their records must not be taken for those of a
   * later attempt.
   */
  static String attemptOf(TaskAttemptContext context) {
    TaskAttemptID id = context.getTaskAttemptID();
    Configuration conf = context.getConfiguration();
    if (conf.get(TEZ_DAG) == null) {
      return id.toString();
    }
    int masters = conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 1);
    return new TaskAttemptID(id.getTaskID(), id.getId() + (masters - 1) * ATTEMPTS_PER_MASTER)
        .toString();
  }

  /**
   * The name of the session in which an attempt writes. It is part of the attempt's work path, in
   * which tools look for the id that S3A's committers would take for the job's.
   */
  String sessionOf(String taskAttemptId) {
    return taskAttemptId + "-" + jobId + "-" + engine.id();
  }

  @Override
  public void close() throws IOException {
    stores.close();
  }
}
