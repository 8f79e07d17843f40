package io.zerorename.benchmark;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A job that has written everything and waits for its commit. The manifests are local files. */
final class CommitWork {
  /** Files of one task, and so uploads in one manifest. */
  static final int FILES_PER_TASK = 100;

  static final String BUCKET = "benchmark";

  private static final Path TABLE = new Path("s3a://" + BUCKET + "/warehouse/t");
  private static final Path LOG = new Path("s3a://" + BUCKET + "/warehouse/_zerorename/t");
  private static final byte[] CONTENT = {1};

  private final FileSystem fileSystem;
  private final JobDirectory records;
  private final Path manifests;
  private final String id = UUID.randomUUID().toString();

  /**
   * @param directory a local one for the job's records and manifests
   */
  CommitWork(java.nio.file.Path directory) throws IOException {
    fileSystem = FileSystem.getLocal(new Configuration()).getRaw();
    records = new JobDirectory(fileSystem, new Path(directory.resolve(id).toUri()));
    manifests = new Path(directory.resolve(id + "-manifests").toUri());
    records.begin(LOG, List.of(TABLE));
  }

  /** What the tasks leave: uploads that only wait for their completion. */
  void write(ObjectStore store, int files) throws IOException {
    for (int first = 0; first < files; first += FILES_PER_TASK) {
      String attempt = "attempt_" + first;
      List<PendingUpload> uploads = new ArrayList<>();
      for (int file = first; file < Math.min(files, first + FILES_PER_TASK); file++) {
        uploads.add(upload(store, attempt, file));
      }
      TaskManifest.of(id, attempt, uploads).write(fileSystem, new Path(manifests, attempt));
    }
  }

  private PendingUpload upload(ObjectStore store, String attempt, int number) throws IOException {
    Path file = new Path(TABLE, "day=" + number / FILES_PER_TASK + "/" + number + "." + id);
    String key = file.toUri().getPath().substring(1);
    String identity = UUID.randomUUID().toString();
    String upload = store.createUpload(key, Map.of(OutputFile.IDENTITY_METADATA, identity));
    return new PendingUpload(
        file,
        upload,
        List.of(store.uploadPart(key, upload, 1, RepeatableBody.of(CONTENT))),
        id,
        attempt,
        identity);
  }

  /**
   * Commits, to the end.
   *
   * @return seconds by stage
   */
  Map<String, Double> commit(ObjectStores stores, int threads) throws IOException {
    OutputJob job = new OutputJob(id, "benchmark", TABLE, List.of(TABLE), false, Map.of());
    CommitLog log = new CommitLog(stores, LOG);
    CommitReport report =
        new JobCommit(
                stores,
                records,
                log,
                CommitSettings.ofThreads(threads),
                CommitProgress.NONE,
                new CommitRequest(
                    job,
                    ManifestSource.filesBelow(fileSystem, List.of(manifests)),
                    Overwrite.none(),
                    Optional.of(Instant.now())))
            .run();
    report.open().orElseThrow().end();
    Map<String, Double> stages = new LinkedHashMap<>();
    report
        .stages()
        .forEach(
            (stage, time) ->
                stages.put(
                    "seconds_" + stage.name().toLowerCase(Locale.ROOT), time.toNanos() / 1e9));
    return stages;
  }
}
