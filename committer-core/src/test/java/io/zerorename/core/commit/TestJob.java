package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.CommitRequest.Committer;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.log.RunId;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.Decisions;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.Requests;
import io.zerorename.testing.RetriedStores;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/** A job as an engine runs it: task attempts write, some are chosen, the job commits or aborts. */
public final class TestJob {
  public static final Path TABLE = new Path("s3a://bucket/warehouse/t");

  /** Where the log of the table is. */
  public static final Path LOG = new Path("s3a://bucket/warehouse/_zerorename/t-1");

  private static final Path LOG_ELSEWHERE = new Path("s3a://logs/t-1");

  private final ObjectStores stores;
  private final String id;
  private final WorkDirectory work;
  private final JobDirectory directory;
  private final CommitLog log;
  private final List<TaskManifest> chosen = new ArrayList<>();
  private boolean plainNames;
  private Optional<RunId> run = Optional.empty();

  /** What is missing is lost at once. */
  private CommitSettings settings = new CommitSettings(1, 512, Duration.ZERO, Clock::sleep);

  public TestJob(ObjectStores stores, FileSystem fileSystem, java.nio.file.Path workDir, String id)
      throws IOException {
    this(stores, fileSystem, workDir, id, LOG);
  }

  /**
   * A job whose log is in another bucket, so that the requests of {@code stores} are those for data
   * alone.
   */
  public static TestJob withLogIn(
      ObjectStore logs, ObjectStores stores, java.nio.file.Path workDir, String id)
      throws IOException {
    return new TestJob(
        path ->
            ObjectKeys.bucketOf(path).equals(ObjectKeys.bucketOf(LOG_ELSEWHERE))
                ? logs
                : stores.forPath(path),
        FileSystem.getLocal(new Configuration(false)),
        workDir,
        id,
        LOG_ELSEWHERE);
  }

  private TestJob(
      ObjectStores stores,
      FileSystem fileSystem,
      java.nio.file.Path workDir,
      String id,
      Path logDirectory)
      throws IOException {
    this.stores = retried(stores);
    this.id = id;
    this.work = new WorkDirectory(fileSystem, new Path(workDir.toUri()));
    this.directory =
        new JobDirectory(fileSystem, new Path(work.create(), id), (workers, action) -> {});
    this.log = new CommitLog(this.stores, logDirectory);
    directory.begin(logDirectory, List.of(TABLE));
  }

  private TestJob(TestJob same, ObjectStores stores) {
    this.stores = stores;
    this.id = same.id;
    this.work = same.work;
    this.directory = same.directory;
    this.log = new CommitLog(stores, same.log.directory());
    this.chosen.addAll(same.chosen);
    this.plainNames = same.plainNames;
    this.run = same.run;
    this.settings = same.settings;
  }

  /** This job in a process that reaches the stores in its own way, and repeats no request. */
  public TestJob through(ObjectStores way) {
    return new TestJob(this, way);
  }

  /** What a wait does in place of waiting. */
  public TestJob sleeping(Clock sleep) {
    settings = Waits.in(sleep, settings);
    return this;
  }

  /** Those of S3A repeat requests themselves. */
  private static ObjectStores retried(ObjectStores stores) {
    return stores instanceof S3AObjectStores ? stores : new RetriedStores(stores);
  }

  /** Another program may write files of the same names. */
  public TestJob withPlainNames() {
    plainNames = true;
    return this;
  }

  /** It is one attempt of a run. */
  public TestJob ofRun(RunId its) {
    run = Optional.of(its);
    return this;
  }

  public TestJob withThreads(int threads) {
    return with(threads, settings.settling());
  }

  /** Files that are missing may appear for so long. */
  public TestJob settlingFor(Duration settling) {
    return with(settings.threads(), settling);
  }

  private TestJob with(int threads, Duration settling) {
    settings = new CommitSettings(threads, settings.processThreads(), settling, settings.clock());
    return this;
  }

  public String id() {
    return id;
  }

  public JobDirectory directory() {
    return directory;
  }

  public CommitLog log() {
    return log;
  }

  /** Where a task of this job writes a file of the table; the name carries the job's id. */
  public Path path(String relative) {
    return new Path(TABLE, relative + "." + id);
  }

  public String key(String relative) {
    return path(relative).toUri().getPath().substring(1);
  }

  /** A task attempt writes files, each holding its own name, and is chosen. */
  public TestJob task(String attempt, String... files) throws IOException {
    chosen.add(attempt(attempt, files));
    return this;
  }

  /** Like {@link #task}, but its files travel to the commit. */
  public TestJob smallTask(String attempt, String... files) throws IOException {
    for (InlineFile file : small(attempt, files)) {
      chosen.add(TaskManifest.of(id, attempt, List.of(file)));
    }
    return this;
  }

  public List<InlineFile> small(String attempt, String... files) throws IOException {
    List<InlineFile> written = new ArrayList<>();
    for (String file : files) {
      directory.noteWriter(attempt);
      written.add(
          new InlineFile(
              path(file),
              RepeatableBody.of(file.getBytes(UTF_8)),
              id,
              attempt,
              UUID.randomUUID().toString()));
    }
    return written;
  }

  /** A task attempt that is not chosen: it lost, or its manifest did. */
  public TestJob losingTask(String attempt, String... files) throws IOException {
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
    return TaskManifest.of(id, attempt, written);
  }

  public MultipartUploads uploads(String attempt) {
    return new MultipartUploads(
        stores,
        directory::noteWriter,
        id,
        attempt,
        UploadSettings.from(new Configuration(false), "bucket"));
  }

  public List<TaskManifest> chosen() {
    return List.copyOf(chosen);
  }

  /** Lets the attempts that are chosen have records, as those of MapReduce have. */
  public TestJob publish() throws IOException {
    for (TaskManifest manifest : chosen) {
      directory.attempts().publish(manifest);
    }
    return this;
  }

  public CommitReport insert() throws IOException {
    return commit(Overwrite.none());
  }

  public CommitReport overwrite() throws IOException {
    return commit(Overwrite.directoriesOfFiles());
  }

  public CommitReport overwrite(Path directory) throws IOException {
    return commit(Overwrite.directory(directory));
  }

  public CommitReport commit(Overwrite overwrite) throws IOException {
    return commit(request(overwrite, Manifests.of(chosen), directory::refuseLost, () -> {}));
  }

  public CommitReport commit(Overwrite overwrite, ManifestSource manifests) throws IOException {
    return commit(Requests.of(outputJob(), manifests, overwrite, Optional.of(log.now())));
  }

  /** Does something after the commit has looked at log and uploads, and before the decision. */
  public CommitReport commit(Overwrite overwrite, InvocationRaisingIOE beforeDecision)
      throws IOException {
    return commit(request(overwrite, Manifests.of(chosen), () -> {}, beforeDecision));
  }

  /** What it asks for where it adds files. */
  public CommitRequest insertBy(Committer committer, InvocationRaisingIOE beforeDecision)
      throws IOException {
    return insertBy(committer, Manifests.of(chosen), beforeDecision);
  }

  /** The same, of other manifests than those of the attempts that are chosen. */
  public CommitRequest insertBy(
      Committer committer, ManifestSource manifests, InvocationRaisingIOE beforeDecision)
      throws IOException {
    return new CommitRequest(
        outputJob(),
        manifests,
        Overwrite.none(),
        Optional.of(log.now()),
        () -> {},
        beforeDecision,
        committer,
        SeenLog.ALL);
  }

  private CommitRequest request(
      Overwrite overwrite,
      ManifestSource manifests,
      InvocationRaisingIOE withoutFiles,
      InvocationRaisingIOE beforeDecision)
      throws IOException {
    return new CommitRequest(
        outputJob(),
        manifests,
        overwrite,
        Optional.of(log.now()),
        withoutFiles,
        beforeDecision,
        Committer.SOLE,
        SeenLog.ALL);
  }

  public CommitReport commit(CommitRequest request) throws IOException {
    CommitReport report =
        new JobCommit(stores, directory, log, settings, CommitProgress.NONE, request).run();
    if (report.open().isPresent()) {
      report.open().get().end();
    }
    return report;
  }

  public OutputJob outputJob() {
    OutputJob job =
        new OutputJob(id, "INSERT into db.t", TABLE, List.of(TABLE), plainNames, Map.of());
    return run.map(job::ofRun).orElse(job);
  }

  /** Everything up to the engine's part, after which nobody notes that the commit has ended. */
  public CommitReport commitAndDie(Overwrite overwrite) throws IOException {
    CommitRequest request = request(overwrite);
    return new JobCommit(stores, directory, log, settings, CommitProgress.NONE, request).run();
  }

  private CommitRequest request(Overwrite overwrite) throws IOException {
    return Requests.of(outputJob(), Manifests.of(chosen), overwrite, Optional.of(log.now()));
  }

  /** Decides to commit as a process does that dies then. */
  public LogEntry decideAndDie(Overwrite overwrite) throws IOException {
    return decideAndDie(overwrite, log.tail());
  }

  /** The same, with what was read of the log before. */
  public LogEntry decideAndDie(Overwrite overwrite, LogTail tail) throws IOException {
    return Decisions.decide(log, draft(overwrite, tail), tail);
  }

  public LogEntry draft(Overwrite overwrite, LogTail tail) throws IOException {
    Workers workers = new Workers(1, 512);
    CommitRequest request = request(overwrite);
    PlanWriter plan = log.newPlan(request.job());
    NewFiles files =
        NewFiles.load(stores, request, new SmallFiles(stores, directory), plan, workers);
    Set<Path> replaced = overwrite.directories(files.directories());
    new ListReplaced(stores, request, files, plan, workers)
        .run(replaced, (directory, object) -> {});
    plan.writeRest();
    return plan.draft(
        files.scope(), replaced, log.overlapping(tail.open(), new DirectorySet(replaced), tail));
  }

  /** Whether it was decided, for it or against it. */
  public boolean isDecided() throws IOException {
    return log.find(id, log.tailDownTo(1)).isPresent();
  }

  public boolean isCommitted() throws IOException {
    return log.find(id, log.tailDownTo(1)).filter(it -> it.kind() != EntryKind.VOID).isPresent();
  }

  /** The number of the entry that decides it. */
  public long number() throws IOException {
    return log.find(id, log.tailDownTo(1)).orElseThrow().number();
  }

  public CommitSettings settings() {
    return settings;
  }

  public OptionalInt abort() throws IOException {
    return new JobAbort(stores, directory, log, settings, Optional.empty()).run();
  }
}
