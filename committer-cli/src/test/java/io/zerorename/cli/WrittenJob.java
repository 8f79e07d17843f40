package io.zerorename.cli;

import static io.zerorename.testing.s3server.FaultRule.always;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitDamagedException;
import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitStateUnknownException;
import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.RunId;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.magic.job.EngineJobId;
import io.zerorename.magic.job.SuccessMarker;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.Requests;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * A job that has written files to {@code db/t}, or to another table, and is at whatever point a
 * test wants.
 */
final class WrittenJob {
  private final String id = UUID.randomUUID().toString();
  private final S3Bucket bucket;
  private final Path table;
  private final Configuration conf;
  private final S3AObjectStores stores;
  private final JobDirectory directory;
  private final CommitLog log;
  private final List<PendingUpload> written = new ArrayList<>();
  private final Instant begun = Instant.now();
  private final boolean plainNames;
  private Overwrite overwrite = Overwrite.none();
  private String description = "INSERT INTO db.t";
  private Map<String, String> attributes = Map.of();
  private final List<Path> roots;

  /** It has written, and is running. */
  WrittenJob(S3Bucket bucket, String... files) throws IOException {
    this(bucket, "db/t", false, files);
  }

  private WrittenJob(S3Bucket bucket, String table, boolean plainNames, String... files)
      throws IOException {
    this.bucket = bucket;
    this.plainNames = plainNames;
    this.table = bucket.path(table);
    conf = bucket.conf();
    stores = bucket.stores();
    WorkDirectory work = WorkDirectory.of(bucket.workDir(), conf);
    directory = JobDirectory.of(new Path(work.create(), id), conf);
    roots = List.of(this.table);
    directory.begin(new CommitLogs(stores, conf).check(this.table, Optional.of(work)), roots);
    log = new CommitLogs(stores, conf).of(this.table);
    try (MultipartUploads uploads =
        new MultipartUploads(
            stores,
            directory::noteWriter,
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

  /** Like one that writes to another table than {@code db/t}. */
  static WrittenJob to(String table, S3Bucket bucket, String... files) throws IOException {
    return new WrittenJob(bucket, table, false, files);
  }

  /** Like one of MapReduce at an empty destination: the names of its files do not carry its id. */
  static WrittenJob ofPlainNames(S3Bucket bucket, String... files) throws IOException {
    return new WrittenJob(bucket, "db/t", true, files);
  }

  /** Like one that replaces all that is in the table. */
  WrittenJob replacing() {
    overwrite = Overwrite.directory(table);
    description = "INSERT OVERWRITE of db.t";
    return this;
  }

  /** Like one of whose partitions Hive has to tell the metastore. */
  WrittenJob intoTable(String name) {
    attributes = Map.of("hive.table", name);
    return this;
  }

  /** Like one to whose run its user has given an id. */
  WrittenJob ofRun(String name) {
    RunId run = new RunId(name, table.toString(), "");
    attributes = new OutputJob(id, description, List.of(table)).ofRun(run).attributes();
    return this;
  }

  /** Like one of MapReduce or of Spark. */
  WrittenJob ofMapReduce() {
    attributes = SuccessMarker.wanted(true, new EngineJobId("job_1_1", "JobID"));
    description = "The output of job_1_1";
    return this;
  }

  String id() {
    return id;
  }

  Path path(String name) {
    return new Path(table, plainNames ? name : name + "." + id);
  }

  String key(String name) {
    return ObjectKeys.of(path(name));
  }

  /** Brings it to its end. */
  WrittenJob commit() throws IOException {
    attempt().open().orElseThrow().end();
    return this;
  }

  /** Interrupts it after the decision: the file of this name is not visible. */
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

  /** The upload of the file of this name vanishes after the decision. */
  WrittenJob commitLosing(String name) {
    bucket.faults(
        request -> {
          if (request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD
              && request.key().equals(key(name))) {
            abortUpload(name);
          }
          return Optional.empty();
        });
    assertThatThrownBy(() -> attempt(ImpatientRecovery.SETTINGS))
        .isInstanceOf(CommitDamagedException.class);
    bucket.refuseNothing();
    return this;
  }

  private void abortUpload(String name) {
    bucket.contents().pendingUploads(key(name)).forEach(bucket::abortUpload);
  }

  CommitReport attempt() throws IOException {
    return attempt(CommitSettings.from(conf));
  }

  private CommitReport attempt(CommitSettings settings) throws IOException {
    return new JobCommit(
            stores,
            directory,
            log,
            settings,
            CommitProgress.NONE,
            Requests.of(
                new OutputJob(id, description, table, roots, plainNames, attributes),
                Manifests.of(List.of(TaskManifest.of(id, "attempt", written))),
                overwrite,
                Optional.of(begun)))
        .run();
  }

  WrittenJob abort() throws IOException {
    new JobAbort(stores, directory, log, CommitSettings.from(conf), Optional.of(begun)).run();
    return this;
  }
}
