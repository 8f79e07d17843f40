package io.zerorename.cli;

import static io.zerorename.testing.s3server.FaultRule.always;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitLog;
import io.zerorename.core.commit.CommitLogs;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.CommitStateUnknownException;
import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.ManifestSource;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.RequestType;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** A job that has written files to {@code db/t}, and is at whatever point a test wants. */
final class WrittenJob implements Closeable {
  private final String id = UUID.randomUUID().toString();
  private final S3Bucket bucket;
  private final Path table;
  private final Configuration conf;
  private final S3AObjectStores stores;
  private final JobDirectory directory;
  private final CommitLog log;
  private final List<PendingUpload> written = new ArrayList<>();

  /** It has written, and is running. */
  WrittenJob(S3Bucket bucket, String... files) throws IOException {
    this(bucket, bucket.workDir(), false, files);
  }

  private WrittenJob(S3Bucket bucket, Path workDir, boolean logOnFileSystem, String... files)
      throws IOException {
    this.bucket = bucket;
    table = bucket.path("db/t");
    conf = bucket.conf();
    stores = new S3AObjectStores(conf);
    WorkDirectory work = WorkDirectory.of(workDir, conf);
    directory = JobDirectory.of(new Path(work.openUndated(), id), conf);
    CommitLogs logs = new CommitLogs(stores, conf, Optional.of(work));
    Path chosen = logOnFileSystem ? logs.onFileSystem(table).orElseThrow() : logs.choose(table);
    directory.begin(chosen);
    log = logs.at(chosen);
    try (MultipartUploads uploads =
        new MultipartUploads(
            stores,
            directory.journal("attempt"),
            id,
            "attempt",
            UploadSettings.from(conf, bucket.contents().bucket()))) {
      for (String name : files) {
        try (UploadStream stream = uploads.open(path(name))) {
          stream.write(name.getBytes(UTF_8));
          stream.close();
          written.add((PendingUpload) stream.file());
        }
      }
    }
  }

  /** Like one of Hive's, which keeps its records in the scratch directory. */
  static WrittenJob ofHive(S3Bucket bucket, String... files) throws IOException {
    return new WrittenJob(bucket, bucket.hiveWorkDir(), false, files);
  }

  /** Like one whose store cannot keep decisions. */
  static WrittenJob withLogOnFileSystem(S3Bucket bucket, String... files) throws IOException {
    return new WrittenJob(bucket, bucket.workDir(), true, files);
  }

  String id() {
    return id;
  }

  Path path(String name) {
    return new Path(table, name + "." + id);
  }

  String key(String name) {
    return "db/t/" + name + "." + id;
  }

  /** Brings it to its end. */
  WrittenJob commit() throws IOException {
    CommitReport report = attempt();
    log.finish(report.open().orElseThrow());
    return this;
  }

  /** Breaks it off after the decision: the file of this name is not visible. */
  WrittenJob commitWithout(String name) {
    bucket.faults(
        always(
            request ->
                request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD
                    && request.key().equals(key(name)),
            Fault.accessDenied()));
    assertThatThrownBy(this::attempt).isInstanceOf(CommitStateUnknownException.class);
    bucket.refuseNothing();
    return this;
  }

  CommitReport attempt() throws IOException {
    return new JobCommit(stores, directory, log, CommitSettings.from(conf))
        .run(
            new CommitRequest(
                new OutputJob(
                    id,
                    "INSERT INTO db.t",
                    table,
                    List.of(table),
                    false,
                    Optional.of(directory.path()),
                    Map.of()),
                ManifestSource.of(List.of(new TaskManifest(id, "attempt", written))),
                Overwrite.none(),
                Optional.of(Instant.now()),
                false));
  }

  WrittenJob abort() throws IOException {
    new JobAbort(stores, directory, log, CommitSettings.from(conf)).run();
    return this;
  }

  @Override
  public void close() throws IOException {
    stores.close();
  }
}
