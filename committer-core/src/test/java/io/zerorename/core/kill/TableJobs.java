package io.zerorename.core.kill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.Requests;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Runs jobs on one table, in any process, and brings to an end what a killed one has left. */
final class TableJobs {
  private static final CommitSettings SETTINGS =
      new CommitSettings(2, 512, Duration.ZERO, Clock::sleep);

  private final ObjectStores stores;
  private final FileSystem fileSystem;
  private final Path table;
  private final Path workDir;
  private final CommitSettings settings;
  private final Path logDirectory;
  private final CommitLog log;

  /**
   * @param workDir on the local file system, where every process finds it
   */
  TableJobs(ObjectStores stores, Path table, Path workDir) throws IOException {
    this(stores, table, workDir, SETTINGS);
  }

  TableJobs(ObjectStores stores, Path table, Path workDir, CommitSettings settings)
      throws IOException {
    this.stores = requireNonNull(stores, "stores");
    this.fileSystem = FileSystem.getLocal(new Configuration());
    this.table = requireNonNull(table, "table");
    this.workDir = requireNonNull(workDir, "workDir");
    this.settings = requireNonNull(settings, "settings");
    this.logDirectory = new Path(table.getParent(), "_zerorename/" + table.getName());
    this.log = new CommitLog(stores, logDirectory);
    fileSystem.mkdirs(workDir);
  }

  CommitLog log() {
    return log;
  }

  /** A job that begins. */
  JobDirectory begin(String jobId) throws IOException {
    JobDirectory directory = directory(jobId);
    directory.begin(logDirectory, List.of(table));
    return directory;
  }

  /** Runs a job as an engine does: two tasks and an attempt that loses, then the commit. */
  void run(ScriptedJob job) throws IOException {
    JobDirectory directory = begin(job.id());
    List<ScriptedJob.File> files = job.files();
    int half = files.size() / 2;
    List<TaskManifest> chosen = new ArrayList<>();
    chosen.add(attempt(directory, "task-0", files.subList(0, half)));
    attempt(directory, "task-1-lost", List.of(job.losingFile()));
    chosen.add(attempt(directory, "task-1", files.subList(half, files.size())));
    commit(directory, Manifests.of(chosen), overwrite(job));
  }

  /** A task attempt writes files. */
  TaskManifest attempt(JobDirectory job, String attempt, List<ScriptedJob.File> files)
      throws IOException {
    List<PendingUpload> written = new ArrayList<>();
    try (MultipartUploads uploads =
        new MultipartUploads(
            stores,
            job::noteWriter,
            job.jobId(),
            attempt,
            UploadSettings.from(new Configuration(false), table.toUri().getHost()))) {
      for (ScriptedJob.File file : files) {
        try (UploadStream stream = uploads.open(new Path(table, file.name()))) {
          stream.write(file.content().getBytes(UTF_8));
          stream.close();
          written.add(((PendingUpload) stream.file()));
        }
      }
    }
    return TaskManifest.of(job.jobId(), attempt, written);
  }

  private Overwrite overwrite(ScriptedJob job) {
    return switch (job.kind()) {
      case APPEND -> Overwrite.none();
      case OVERWRITE_PARTITIONS -> Overwrite.directoriesOfFiles();
      case OVERWRITE_TABLE -> Overwrite.directory(table);
    };
  }

  /** Commits a job, to the end. */
  CommitReport commit(JobDirectory job, ManifestSource manifests, Overwrite overwrite)
      throws IOException {
    CommitReport report =
        new JobCommit(
                stores,
                job,
                log,
                settings,
                CommitProgress.NONE,
                Requests.of(
                    outputJob(job.jobId()), manifests, overwrite, Optional.of(Instant.now())))
            .run();
    if (report.open().isPresent()) {
      report.open().get().end();
    }
    return report;
  }

  private OutputJob outputJob(String id) {
    return new OutputJob(id, "Job " + id, table, List.of(table), false, Map.of());
  }

  /** What resumes the table's commits. */
  Recovery recovery() {
    return new Recovery(stores, log, settings, new NothingAfterTheFiles());
  }

  /**
   * Carries out what was decided and gives up what was not.
   *
   * @return what was found in the destination's log
   */
  List<Recovered> recover() throws IOException {
    List<Recovered> found = recovery().run(Duration.ZERO);
    // Of a job whose process was killed before that the log knows nothing. A sweep gives it up.
    for (FileStatus status : fileSystem.listStatus(workDir)) {
      JobDirectory job = directory(status.getPath().getName());
      if (log.find(job.jobId(), log.tailDownTo(1)).isEmpty()) {
        new JobAbort(stores, job, log, settings, Optional.empty()).run();
      }
    }
    return found;
  }

  private JobDirectory directory(String jobId) {
    return new JobDirectory(fileSystem, new Path(workDir, jobId), (workers, action) -> {});
  }

  /** The engine of these jobs. */
  private final class NothingAfterTheFiles implements JobEngine {
    @Override
    public boolean mayWrite(Path root) {
      return root.equals(table);
    }

    @Override
    public boolean afterFiles(OpenCommit commit) {
      return true;
    }
  }
}
