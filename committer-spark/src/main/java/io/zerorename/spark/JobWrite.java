package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.SeenLog;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.Version;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobRecords;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.RunId;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.s3a.AuditLabels;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.magic.job.EngineJobId;
import io.zerorename.magic.job.MapReduceKeys;
import io.zerorename.magic.job.OutputRecovery;
import io.zerorename.magic.job.SuccessMarker;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One write of Spark, on its driver: from the choice of the log to the commit. */
final class JobWrite {
  private static final Logger LOG = LoggerFactory.getLogger(JobWrite.class);

  /** The directory of files that Spark's inserts in formats of Hive's move afterwards. */
  static final String STAGED = "-ext-10000";

  private final String jobId;
  private final Path destination;
  private final Configuration conf;
  private final Optional<RunId> run;
  private final Optional<PlannedWrite> planned;
  private final String description;
  private final Instant begun = Instant.now();
  private Path log;
  private SeenLog seen = SeenLog.ALL;
  private State state = State.OPEN;

  /** How far the write has come. */
  private enum State {
    OPEN,
    /** The log may have an entry of this job, which only a recovery may touch. */
    DECIDING,
    COMMITTED
  }

  private JobWrite(
      String jobId,
      Path destination,
      Configuration conf,
      Optional<RunId> run,
      Optional<PlannedWrite> planned) {
    this.jobId = requireNonNull(jobId, "jobId");
    this.destination = requireNonNull(destination, "destination");
    this.conf = requireNonNull(conf, "conf");
    this.run = requireNonNull(run, "run");
    this.planned = requireNonNull(planned, "planned");
    this.description =
        "The output of Spark job %s (%s) to %s"
            .formatted(jobId, spark().get("spark.app.name", "no name"), destination);
  }

  private static SparkConf spark() {
    return SparkEnv.get().conf();
  }

  /**
   * Begins a write. One request, and one more on the first write of all beside the destination.
   *
   * @param destination fully qualified
   * @param overwrites whether it replaces files
   * @param run to which it belongs
   * @param planned what is known of the statement
   * @throws IOException if no log can be kept there
   */
  static JobWrite begin(
      String jobId,
      Path destination,
      Configuration conf,
      boolean overwrites,
      Optional<RunId> run,
      Optional<PlannedWrite> planned)
      throws IOException {
    Version.logOnce();
    MapReduceKeys.check(conf, ObjectKeys.bucketOf(destination));
    JobWrite write = new JobWrite(jobId, destination, conf, run, planned);
    try (S3AObjectStores stores = write.stores()) {
      write.log = new CommitLogs(stores, conf).check(destination, Optional.empty());
      if (overwrites) {
        CommitLog commitLog = new CommitLog(stores, write.log);
        write.seen = SeenLog.now(commitLog, conf, ObjectKeys.bucketOf(destination));
      }
    }
    LOG.info("zero-rename: {} will be committed without renames", write.description);
    return write;
  }

  /**
   * Whether the log of a destination has a write that has committed a run. One request per 1,000
   * records of the log, and one for each entry that has not ended.
   */
  static boolean isCommitted(RunId run, Path destination, Configuration conf) throws IOException {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      OutputJob job =
          new OutputJob(UUID.randomUUID().toString(), run.target(), List.of(destination))
              .ofRun(run);
      return Recovery.findRun(job, new CommitLogs(stores, conf).of(destination)).isPresent();
    }
  }

  /**
   * Ends a write that may only write where nothing is, if an earlier one is decided and was not
   * visible yet when Spark checked. One request.
   *
   * @throws FileAlreadyExistsException if there is such a write; it is completed before, if it is
   *     older than the grace period
   */
  void refuseBesideUnfinished() throws IOException {
    try (S3AObjectStores stores = stores()) {
      CommitLog commitLog = new CommitLog(stores, log);
      if (!isUnfinished(commitLog)) {
        return;
      }
      recovery(stores, false).run(commitLog);
    }
    throw new FileAlreadyExistsException(
        ("ZR-7101: %s is being written: an earlier write was decided before this one began. If"
                + " the driver's log does not say that it is complete, run: zerorename recover %s")
            .formatted(destination, destination));
  }

  /** Whether files of another write are yet to appear. */
  private static boolean isUnfinished(CommitLog commitLog) throws IOException {
    for (long number : commitLog.tail().open()) {
      if (commitLog.read(number).filter(it -> it.kind() != EntryKind.VOID).isPresent()) {
        return true;
      }
    }
    return false;
  }

  /**
   * @param marked whether this write has left a {@code _SUCCESS}
   */
  private OutputRecovery recovery(ObjectStores stores, boolean marked) {
    return new OutputRecovery(description, destination, List.of(destination), conf, stores, marked);
  }

  private S3AObjectStores stores() {
    return new S3AObjectStores(conf, AuditLabels.of(conf).ofJob(jobId));
  }

  private CommitSettings settings() {
    return CommitSettings.from(conf, ObjectKeys.bucketOf(destination));
  }

  /**
   * Makes the files of the tasks visible, and then deletes what they replace.
   *
   * @param messages a {@link TaskMessage} of each task
   * @param written what is in them
   * @param dynamicOverwrite whether the directories that have new files are replaced
   * @param replaced the directories that are replaced besides
   * @param sparesHidden whether what has a hidden name is not replaced
   * @return what another write to the table has written, if that one has committed the run
   */
  Optional<WrittenFiles> commit(
      List<byte[]> messages,
      WrittenFiles written,
      boolean dynamicOverwrite,
      Set<Path> replaced,
      boolean sparesHidden)
      throws IOException {
    // As with Spark's own protocol, a dynamic overwrite leaves none. One that is moved would name
    // files that are not there.
    boolean marked =
        !dynamicOverwrite && SuccessMarker.isWanted(conf) && !destination.getName().equals(STAGED);
    OutputJob plain =
        new OutputJob(
            jobId,
            description,
            destination,
            written.roots(destination, replaced),
            false,
            SuccessMarker.wanted(marked, new EngineJobId(jobId, EngineJobId.SPARK_WRITE)));
    OutputJob job = run.map(plain::ofRun).orElse(plain);
    boolean orphans = written.retried() || spark().getBoolean("spark.speculation", false);
    ManifestSource manifests =
        (workers, action) ->
            workers.forEach(messages, message -> action.accept(TaskMessage.of(message).manifest()));
    try (S3AObjectStores stores = stores()) {
      CommitLog commitLog = new CommitLog(stores, log);
      CommitReport report =
          commit(
              new CommitRequest(
                  job,
                  manifests,
                  overwrite(dynamicOverwrite, replaced, sparesHidden),
                  Optional.of(begun),
                  () -> {},
                  this::refuseWithoutRows,
                  CommitRequest.Committer.SOLE,
                  seen),
              (its, entry, workers) -> cleanUp(its, entry, messages, orphans),
              commitLog,
              stores);
      if (!report.openEntries().isEmpty()) {
        recovery(stores, marked).run(commitLog);
      }
      report.cut(commitLog, CoreKeys.LOG_DAYS.from(conf, ObjectKeys.bucketOf(destination)));
      if (report.repeats().isEmpty() || planned.filter(PlannedWrite::isOfTable).isEmpty()) {
        return Optional.empty();
      }
      WrittenFiles earlier = WrittenFiles.of(commitLog.plan(report.entry()));
      planned.get().addPartitions(earlier);
      return Optional.of(earlier);
    }
  }

  /** Without its rows it would count as the committed one. */
  private void refuseWithoutRows() throws IOException {
    if (conf.getBoolean(RepeatedInsert.WITHOUT_ROWS, false)) {
      throw new IOException(
          ("ZR-7138: Cannot write to %s: its tasks did not run, because the commit log %s had a"
                  + " job that had committed the run \"%s\" (%s), and now has none: its entry was"
                  + " deleted. Nothing was written. See which rows of that job are there before you"
                  + " run it again.")
              .formatted(destination, log, run.map(RunId::id).orElse(""), CoreKeys.RUN_ID.name()));
    }
  }

  /**
   * Spark carries what its tasks have written, so that there are no records. Where another job has
   * committed the run, all goes that the tasks have uploaded.
   */
  private int cleanUp(
      ObjectStores stores, Optional<OpenEntry> entry, List<byte[]> messages, boolean orphans)
      throws IOException {
    if (entry.isEmpty()) {
      return sweep(stores, messages, Set.of());
    }
    List<Path> roots = entry.get().entry().job().roots();
    return orphans
        ? new UploadSweep(stores, jobId, Map.of(), roots, entry).run(settings().workers())
        : 0;
  }

  private CommitReport commit(
      CommitRequest request, JobRecords records, CommitLog commitLog, S3AObjectStores stores)
      throws IOException {
    int fileLimit = MapReduceKeys.SUCCESS_FILE_LIMIT.from(conf, ObjectKeys.bucketOf(destination));
    CommitProgress progress =
        CommitProgress.from(conf, text -> LOG.info("zero-rename: {}: {}", description, text));
    state = State.DECIDING;
    CommitReport report;
    try {
      report = new JobCommit(stores, records, commitLog, settings(), progress, request).run();
    } catch (CommitFailedException e) {
      state = State.OPEN;
      throw e;
    }
    if (report.repeats().isPresent()) {
      // Of this one nothing was decided: if it fails now, it is aborted.
      state = State.OPEN;
      List<Path> roots = new ArrayList<>(request.job().roots());
      planned.ifPresent(it -> roots.addAll(it.partitions(destination)));
      OutputRecovery engine =
          new OutputRecovery(description, destination, roots, conf, stores, false);
      new Recovery(stores, commitLog, settings(), engine).completeRun(report);
      LOG.warn("zero-rename: {}", report.line(description, stores.requests()));
      state = State.COMMITTED;
      return report;
    }
    state = State.COMMITTED;
    if (report.open().isPresent()) {
      new SuccessMarker(stores).end(report, stores.requests(), fileLimit);
    }
    LOG.info("zero-rename: {}", report.line(description, stores.requests()));
    return report;
  }

  private Overwrite overwrite(boolean dynamic, Set<Path> replaced, boolean sparesHidden) {
    String records = ObjectKeys.prefixOf(log.getParent());
    String bucket = ObjectKeys.bucketOf(log.getParent());
    return new Overwrite() {
      @Override
      public Set<Path> directories(Set<Path> written) {
        Set<Path> all = new LinkedHashSet<>(replaced);
        if (dynamic) {
          all.addAll(written);
        }
        return all;
      }

      /** Spark's data sources replace hidden names too, some of which they read. */
      @Override
      public boolean spares(Path directory, String below) {
        return (sparesHidden && Overwrite.isHidden(below))
            || (ObjectKeys.bucketOf(directory).equals(bucket)
                && (ObjectKeys.prefixOf(directory) + below).startsWith(records));
      }
    };
  }

  /**
   * Aborts the uploads of a write that has failed. Where its entry may be in the log, it does
   * nothing: what was decided, the next job at the destination completes.
   *
   * @param messages of the tasks that have committed
   * @param replaced directories that it would have replaced
   */
  void abort(List<byte[]> messages, Set<Path> replaced) {
    if (state == State.COMMITTED) {
      LOG.warn("ZR-7103: The write failed after its commit. It stays committed: {}", description);
      return;
    }
    if (state == State.DECIDING) {
      LOG.warn(
          "ZR-7104: The write failed, and may be committed: {}. The next write there completes it,"
              + " or: zerorename recover {}",
          description,
          destination);
      return;
    }
    try (S3AObjectStores stores = stores()) {
      sweep(stores, messages, replaced);
      LOG.info("{} is aborted, and its uploads", description);
    } catch (IOException | RuntimeException e) {
      // Spark is handling the failure of the job, which must not be hidden.
      LOG.warn(
          "ZR-7105: Not all uploads of the failed write could be aborted: {}. The bucket's"
              + " lifecycle rule for incomplete uploads removes the others",
          description,
          e);
    }
  }

  /** Aborts all uploads of the write, and returns how many. */
  private int sweep(ObjectStores stores, List<byte[]> messages, Set<Path> replaced)
      throws IOException {
    WrittenFiles written = new WrittenFiles();
    Map<String, Path> uploads = new HashMap<>();
    for (byte[] document : messages) {
      TaskMessage message = TaskMessage.of(document);
      written.add(message);
      message.manifest().uploads().forEach(it -> uploads.put(it.uploadId(), it.destination()));
    }
    List<Path> roots = written.roots(destination, replaced);
    // The roots are listed for what killed tasks have left.
    return new UploadSweep(stores, jobId, uploads, roots, Optional.empty())
        .run(settings().workers());
  }
}
