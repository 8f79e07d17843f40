package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.JobAbort.Result;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.records.ObjectRecords;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A job as an engine runs it: task attempts write, some are chosen, the job commits or aborts. */
final class TestJob {
  static final Path TABLE = new Path("s3a://bucket/warehouse/t");

  /** Where the log of the table is, if it is in the bucket. */
  static final Path LOG = new Path("s3a://bucket/warehouse/_zerorename/t-1");

  private final ObjectStores stores;
  private final String id;
  private final WorkDirectory work;
  private final JobDirectory directory;
  private final CommitLog log;
  private final List<TaskManifest> chosen = new ArrayList<>();
  private boolean mayBeDecided;

  /** What is missing is lost at once. */
  private CommitSettings settings =
      new CommitSettings(1, 3, Duration.ZERO, 256L << 20, Duration.ZERO);

  TestJob(ObjectStores stores, FileSystem fileSystem, java.nio.file.Path workDir, String id)
      throws IOException {
    this.stores = stores;
    this.id = id;
    this.work = new WorkDirectory(fileSystem, new Path(workDir.toUri()));
    Path logDirectory = new Path(work.commits(), "t");
    this.directory = new JobDirectory(fileSystem, new Path(work.openUndated(), id));
    this.log = CommitLog.onFileSystem(fileSystem, logDirectory);
    directory.begin(logDirectory);
  }

  /** A job whose decision is kept in the bucket. */
  static TestJob decidedInBucket(
      ObjectStores stores, FileSystem fileSystem, java.nio.file.Path workDir, String id)
      throws IOException {
    return new TestJob(stores, new WorkDirectory(fileSystem, new Path(workDir.toUri())), id);
  }

  private TestJob(ObjectStores stores, WorkDirectory work, String id) throws IOException {
    this.stores = stores;
    this.id = id;
    this.work = work;
    this.directory = new JobDirectory(work.fileSystem(), new Path(work.openUndated(), id));
    this.log = CommitLog.inBucket(stores, LOG);
    directory.begin(LOG);
  }

  TestJob withThreads(int threads) {
    return with(threads, settings.settling());
  }

  /** Files that are missing may appear for so long. */
  TestJob settlingFor(Duration settling) {
    return with(settings.threads(), settling);
  }

  private TestJob with(int threads, Duration settling) {
    settings =
        new CommitSettings(
            threads, settings.attempts(), settings.firstDelay(), settings.inlineLimit(), settling);
    return this;
  }

  String id() {
    return id;
  }

  JobDirectory directory() {
    return directory;
  }

  CommitLog log() {
    return log;
  }

  /** Where a task of this job writes a file of the table; the name carries the job's id. */
  Path path(String relative) {
    return new Path(TABLE, relative + "." + id);
  }

  String key(String relative) {
    return path(relative).toUri().getPath().substring(1);
  }

  /** A task attempt writes files, each holding its own name, and is chosen. */
  TestJob task(String attempt, String... files) throws IOException {
    chosen.add(attempt(attempt, files));
    return this;
  }

  /** Like {@link #task}, but its files travel to the commit. */
  TestJob smallTask(String attempt, String... files) throws IOException {
    chosen.add(TaskManifest.of(id, attempt, small(attempt, files)));
    return this;
  }

  List<InlineFile> small(String attempt, String... files) throws IOException {
    List<InlineFile> written = new ArrayList<>();
    for (String file : files) {
      directory.journal(attempt).handsOver(path(file));
      written.add(
          new InlineFile(
              path(file),
              PartBody.of(file.getBytes(UTF_8)),
              id,
              attempt,
              UUID.randomUUID().toString()));
    }
    return written;
  }

  /** A task attempt that is not chosen: it lost, or its manifest did. */
  TestJob losingTask(String attempt, String... files) throws IOException {
    attempt(attempt, files);
    return this;
  }

  private TaskManifest attempt(String attempt, String... files) throws IOException {
    List<PendingUpload> written = new ArrayList<>();
    try (MultipartUploads uploads = uploads(attempt)) {
      for (String file : files) {
        try (UploadStream stream = uploads.open(path(file))) {
          stream.write(file.getBytes(UTF_8));
          stream.close();
          written.add(((PendingUpload) stream.file()));
        }
      }
    }
    return new TaskManifest(id, attempt, written);
  }

  MultipartUploads uploads(String attempt) {
    return new MultipartUploads(
        stores,
        directory.journal(attempt),
        id,
        attempt,
        UploadSettings.from(new Configuration(false), "bucket"));
  }

  List<TaskManifest> chosen() {
    return List.copyOf(chosen);
  }

  CommitReport insert() throws IOException {
    return commit(Overwrite.none());
  }

  CommitReport overwrite() throws IOException {
    return commit(Overwrite.directoriesOfFiles());
  }

  CommitReport overwrite(Path directory) throws IOException {
    return commit(Overwrite.directory(directory));
  }

  CommitReport commit(Overwrite overwrite) throws IOException {
    return commit(overwrite, directory.refusingLost(ManifestSource.of(chosen)));
  }

  CommitReport commit(Overwrite overwrite, ManifestSource manifests) throws IOException {
    return commit(
        new CommitRequest(
            outputJob(), manifests, overwrite, Optional.of(Instant.now()), mayBeDecided));
  }

  CommitReport commit(CommitRequest request) throws IOException {
    CommitReport report = new JobCommit(stores, directory, log, settings).run(request);
    mayBeDecided = true;
    if (report.open().isPresent()) {
      log.finish(report.open().get());
    }
    return report;
  }

  OutputJob outputJob() {
    return new OutputJob(
        id,
        "INSERT into db.t",
        TABLE,
        List.of(TABLE),
        false,
        Optional.of(directory.path()),
        Map.of());
  }

  /** Everything up to the engine's part, after which nobody notes that the commit has ended. */
  CommitReport commitAndDie(Overwrite overwrite) throws IOException {
    CommitReport report =
        new JobCommit(stores, directory, log, settings)
            .run(
                new CommitRequest(
                    outputJob(),
                    ManifestSource.of(chosen),
                    overwrite,
                    Optional.of(Instant.now()),
                    false));
    RunningCommits.end(id);
    return report;
  }

  /** Decides to commit as a process does that dies then. */
  Proposal decideAndDie(Overwrite overwrite, ProcessIdentity by) throws IOException {
    PlanPart plan = plan(overwrite);
    Proposal proposal = Proposals.propose(log, plan);
    Optional<Instant> putsUntil =
        plan.inlined().isEmpty() ? Optional.empty() : Optional.of(log.now().plus(PutWindow.LENGTH));
    boolean first =
        new ObjectRecords(stores, LOG)
            .putIfAbsent(
                "decisions/" + id + ".json",
                DecisionJson.write(
                    new Decision(Decision.Outcome.COMMIT, Optional.of(proposal), putsUntil, by)));
    if (!first) {
      throw new IllegalStateException(id + " was decided before");
    }
    return proposal;
  }

  PlanPart plan(Overwrite overwrite) throws IOException {
    try (Workers workers = new Workers(1)) {
      CommitRequest request =
          new CommitRequest(
              outputJob(), ManifestSource.of(chosen), overwrite, Optional.of(Instant.now()), false);
      PlanWriter draft = new PlanWriter(outputJob(), Plans::unwritten);
      MakePlan planning =
          new MakePlan(
              stores,
              request,
              new SmallFiles(stores, directory, log, settings.inlineLimit()),
              draft);
      for (TaskManifest manifest : chosen) {
        planning.addAll(manifest.files());
      }
      planning.addWaiting(workers);
      planning.addReplaced(workers);
      draft.propose();
      return Plans.whole(
          new CommitPlan(
              outputJob(), CommitPlan.Parts.of(draft.kept().all().toList()), draft.totals()));
    }
  }

  CommitSettings settings() {
    return settings;
  }

  /** What jobs that run long after this one do for it; returns the number of uploads aborted. */
  int sweepLate() throws IOException {
    Configuration conf = new Configuration(false);
    LateSweep sweep =
        new LateSweep(
            stores,
            work,
            new CommitLogs(stores, conf, Optional.of(work)),
            log -> settings,
            Duration.ofDays(7));
    return sweep.run(Instant.now().plus(Duration.ofDays(8)));
  }

  Result abort() throws IOException {
    return new JobAbort(stores, directory, log, settings).run();
  }
}
