package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.SETTINGS;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.CommitRequest.Committer;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** One job in one simulated process, from its setup to its end, as an engine drives it. */
public final class SimulatedJob {
  private static final UploadSettings UPLOADS = UploadSettings.from(inMemory(), "bucket");

  /** What the engine tells its user. */
  public enum Told {
    COMMITTED,
    /** The files are in place, and the engine's own part or the note of the end failed. */
    COMMITTED_OPEN,
    /** Another job has committed its run, and each file of that was there. */
    REPEATS,
    /** Another job has, and its files are gone, or cannot be completed now. */
    REPEATS_LESS,
    /** Nothing is visible. */
    FAILED,
    /** The commit said so, and then the abort found that it was committed. */
    WRONGLY_FAILED,
    /** Nothing is visible, and uploads may be left. */
    FAILED_UNSWEPT,
    UNKNOWN,
    DAMAGED
  }

  private final SimulatedCluster.View view;
  private final JobShape kind;
  private final String id;
  private final Path directory;
  private final Path staging;
  private Exception failure;
  private boolean tasksDone;

  public SimulatedJob(
      SimulatedCluster cluster, SimulatedCluster.View view, JobShape kind, String id) {
    this.view = view;
    this.kind = kind;
    this.id = id;
    this.directory =
        kind.style() == JobShape.Style.MR_S3
            ? new Path(TABLE, "_temporary/" + id)
            : new Path(WorkDirectory.jobsOf(cluster.work()), id);
    this.staging = new Path("sim://" + cluster.name + "/staging/" + id);
  }

  /** Buffers in memory: a file on the local disk is no call, and costs a third of a run. */
  private static Configuration inMemory() {
    Configuration conf = new Configuration(false);
    conf.set("fs.s3a.fast.upload.buffer", "bytebuffer");
    return conf;
  }

  /** Whether the engine may let the job commit. */
  public boolean tasksDone() {
    return tasksDone;
  }

  public Exception failure() {
    return failure;
  }

  /** Objects that the job makes visible, with their contents. */
  public Set<String> made() {
    Set<String> objects = new TreeSet<>();
    kind.writes(id)
        .forEach(
            path -> objects.add(SimulatedCluster.nameOf(path) + "=" + contentOf(path.getName())));
    return objects;
  }

  /** What is in a file, by the name of its object or its own. */
  static String contentOf(String name) {
    return "content of " + name.substring(name.lastIndexOf('/') + 1);
  }

  private JobDirectory records() {
    return kind.style() == JobShape.Style.MR_S3
        ? new JobDirectory(view.stores, directory, TABLE)
        : new JobDirectory(view.fileSystem, directory, (workers, action) -> {});
  }

  public OutputJob output() {
    OutputJob job =
        new OutputJob(id, "INSERT by " + id, TABLE, kind.roots(), kind.plainNames(), Map.of());
    return kind.run().map(job::ofRun).orElse(job);
  }

  public boolean hasBegun() throws IOException {
    return records().log().isPresent();
  }

  public Told run() {
    try {
      prepare();
    } catch (IOException e) {
      failure = e;
      return abort();
    }
    return commit(false);
  }

  /** The job up to its commit. */
  public void prepare() throws IOException {
    if (kind.style() != JobShape.Style.MR_S3) {
      records().begin(SimulatedCluster.LOG, kind.roots());
    }
    runTasks();
    tasksDone = true;
  }

  private void runTasks() throws IOException {
    int task = 0;
    for (Path path : kind.writes(id)) {
      String attempt = "task_" + task;
      TaskManifest manifest = kind.inlines(task++) ? handOver(attempt, path) : write(attempt, path);
      if (kind.style() == JobShape.Style.HIVE) {
        manifest.write(view.fileSystem, new Path(staging, attempt));
      } else {
        records().attempts().publish(manifest);
      }
      if (task == 1) {
        lose();
      }
    }
  }

  /** An attempt that comes too late: Hive drops its manifest, MapReduce aborts it. */
  private void lose() throws IOException {
    TaskManifest lost = write("lost", kind.loses(id));
    if (kind.style() == JobShape.Style.MR_S3) {
      // The manifest tells what it has uploaded, also where the store does not list that.
      records().attempts().publish(lost);
    } else if (kind.style() == JobShape.Style.MR_CLUSTER) {
      records().attempts().abort("lost");
    }
  }

  private TaskManifest handOver(String attempt, Path path) {
    InlineFile file =
        new InlineFile(
            path,
            RepeatableBody.of(contentOf(path.getName()).getBytes(UTF_8)),
            id,
            attempt,
            UUID.randomUUID().toString());
    return TaskManifest.of(id, attempt, List.of(file));
  }

  /** A task attempt, which need not know that its job has ended. */
  public TaskManifest write(String attempt, Path path) throws IOException {
    try (MultipartUploads uploads =
        new MultipartUploads(
            view.stores, writer -> records().noteWriter(writer), id, attempt, UPLOADS)) {
      UploadStream stream = uploads.open(path);
      stream.write(contentOf(path.getName()).getBytes(UTF_8));
      stream.close();
      return TaskManifest.of(id, attempt, List.of(((PendingUpload) stream.file())));
    }
  }

  /**
   * The end of the job, also by a later attempt of its master.
   *
   * @param again whether an earlier attempt may have decided
   */
  public Told commit(boolean again) {
    CommitLog log = view.log();
    JobDirectory records = records();
    CommitReport report;
    try {
      report =
          new JobCommit(
                  view.stores,
                  records,
                  log,
                  Waits.in((time, why) -> view.passTime(time), SETTINGS),
                  CommitProgress.NONE,
                  request(records))
              .run();
    } catch (CommitFailedException e) {
      failure = e;
      Told told = abort();
      return told == Told.UNKNOWN ? Told.WRONGLY_FAILED : told;
    } catch (CommitStateUnknownException e) {
      failure = e;
      return Told.UNKNOWN;
    } catch (CommitDamagedException e) {
      failure = e;
      return Told.DAMAGED;
    }
    if (report.repeats().isPresent()) {
      return repeat(report, log);
    }
    if (report.open().isEmpty()) {
      return Told.COMMITTED;
    }
    OpenCommit open = report.open().get();
    try {
      view.addPartitions(open.plan(), open.replacedLater());
      open.end();
      return Told.COMMITTED;
    } catch (IOException e) {
      failure = e;
      return Told.COMMITTED_OPEN;
    }
  }

  private Told repeat(CommitReport report, CommitLog log) {
    CommitSettings settings = Waits.in((time, why) -> view.passTime(time), SETTINGS);
    try {
      new Recovery(view.stores, log, settings, new SimulatedRecovery(view)).completeRun(report);
      return Told.REPEATS;
    } catch (IOException e) {
      failure = e;
      return Told.REPEATS_LESS;
    }
  }

  private CommitRequest request(JobDirectory records) {
    ManifestSource manifests = manifests(records);
    Optional<Instant> begun = Optional.of(Instant.now());
    boolean isHives = kind.style() == JobShape.Style.HIVE;
    // A job without files has a losing attempt at most.
    boolean hasFiles = !kind.writes(id).isEmpty();
    return new CommitRequest(
        output(),
        manifests,
        kind.overwrite(),
        begun,
        isHives && hasFiles ? records::refuseLost : () -> {},
        () -> {},
        isHives ? Committer.SOLE : Committer.ONE_OF_SEVERAL,
        SeenLog.ALL);
  }

  private ManifestSource manifests(JobDirectory records) {
    if (kind.style() == JobShape.Style.HIVE) {
      return ManifestSource.filesBelow(view.fileSystem, List.of(staging));
    }
    return (workers, action) ->
        workers.forEach(
            records.attempts().listed().stream().filter(id -> !id.equals("lost")).toList(),
            id -> {
              Optional<TaskManifest> manifest = records.attempts().of(id);
              if (manifest.isPresent()) {
                action.accept(manifest.get());
              }
            });
  }

  /** As an operator aborts a job of another process. */
  public void abortAsAnother() throws IOException {
    if (hasBegun()) {
      new JobAbort(view.stores, records(), view.log(), SETTINGS, Optional.empty()).run();
    }
  }

  private Told abort() {
    try {
      OptionalInt result =
          new JobAbort(view.stores, records(), view.log(), SETTINGS, Optional.empty()).run();
      return result.isPresent() ? Told.FAILED : Told.UNKNOWN;
    } catch (IOException e) {
      failure.addSuppressed(e);
      return Told.FAILED_UNSWEPT;
    }
  }
}
