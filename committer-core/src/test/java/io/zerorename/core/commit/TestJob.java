package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.JobAbort.Result;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A job as an engine runs it: task attempts write, some are chosen, the job commits or aborts. */
final class TestJob {
  static final Path TABLE = new Path("s3a://bucket/warehouse/t");

  private final ObjectStores stores;
  private final String id;
  private final JobDirectory directory;
  private final List<TaskManifest> chosen = new ArrayList<>();
  private CommitSettings settings = new CommitSettings(1, 3, Duration.ZERO);

  TestJob(ObjectStores stores, FileSystem fileSystem, java.nio.file.Path workDir, String id)
      throws IOException {
    this.stores = stores;
    this.id = id;
    this.directory = new JobDirectory(fileSystem, new Path(new Path(workDir.toUri()), id));
    directory.create();
  }

  TestJob withThreads(int threads) {
    settings = new CommitSettings(threads, settings.attempts(), settings.firstDelay());
    return this;
  }

  String id() {
    return id;
  }

  JobDirectory directory() {
    return directory;
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
          written.add(stream.pendingUpload());
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
    return commit(Overwrite.directoriesOfUploads());
  }

  CommitReport overwrite(Path directory) throws IOException {
    return commit(Overwrite.directory(directory));
  }

  CommitReport commit(Overwrite overwrite) throws IOException {
    return commit(overwrite, directory.refusingLost(ManifestSource.of(chosen)));
  }

  CommitReport commit(Overwrite overwrite, ManifestSource manifests) throws IOException {
    return new JobCommit(stores, directory, settings)
        .run(new CommitRequest(id, "INSERT into db.t", manifests, List.of(TABLE), overwrite));
  }

  Result abort() throws IOException {
    return new JobAbort(stores, directory, settings).run();
  }
}
