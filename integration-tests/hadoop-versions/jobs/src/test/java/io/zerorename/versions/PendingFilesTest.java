package io.zerorename.versions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts below the committers: pending file system, uploads, job commit, old objects. */
class PendingFilesTest {
  private static final String JOB = "job-1";
  private static final String ATTEMPT = "attempt_1_0001_m_000000_0";

  @TempDir private File directory;
  private TestCluster cluster;
  private Configuration conf;
  private Path jobDirectory;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory);
    conf = cluster.conf();
    jobDirectory = new Path(new File(directory, JOB).toURI());
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @Test
  void smallFilesAndUploadsOfSeveralPartsAppearAtJobCommit() throws Exception {
    conf.set("fs.s3a.multipart.size", "5M");
    String large = "0123456789abcdef".repeat(700_000);
    CommitReport report;
    // The bytes of small files can be read as long as the session is open.
    try (PendingSession session = session()) {
      write(session, "out/small", "one row\n");
      write(session, "out/large", large);
      List<OutputFile> files = session.files();
      assertThat(files)
          .satisfiesExactlyInAnyOrder(
              file -> assertThat(file).isInstanceOf(InlineFile.class),
              file -> assertThat(file).isInstanceOf(PendingUpload.class));
      assertThat(cluster.bucket().objects("")).isEmpty();

      report = commit(files, Overwrite.none());
    }

    assertThat(report.files()).isEqualTo(2);
    assertThat(cluster.bucket().files("out/")).containsExactly("out/large", "out/small");
    assertThat(cluster.text("out/small")).isEqualTo("one row\n");
    assertThat(cluster.text("out/large")).isEqualTo(large);
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void overwriteDeletesTheOldObjects() throws Exception {
    try (OutputStream old =
        cluster.s3("out/old").getFileSystem(conf).create(cluster.s3("out/old"))) {
      old.write(1);
    }
    try (PendingSession session = session()) {
      write(session, "out/new", "new\n");
      commit(session.files(), Overwrite.directory(cluster.s3("out")));
    }
    assertThat(cluster.bucket().files("out/")).containsExactly("out/new");
  }

  @Test
  void abortLeavesNothing() throws Exception {
    conf.set("zerorename.inline.max.bytes", "0");
    try (PendingSession session = session()) {
      write(session, "out/f", "one row\n");
      assertThat(session.files()).hasSize(1);
      assertThat(cluster.bucket().pendingUploads("")).hasSize(1);
      session.abort();
    }
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
    assertThat(cluster.bucket().objects("")).isEmpty();
  }

  private PendingSession session() throws IOException {
    return PendingSession.open(
        conf,
        SessionSpec.ofWriter(
            cluster.s3("out"),
            JobDirectory.of(jobDirectory, conf),
            ATTEMPT,
            InlineSettings.from(conf, cluster.bucket().bucket(), 1),
            new AtomicLong()));
  }

  private void write(PendingSession session, String key, String text) throws IOException {
    Configuration writerConf = new Configuration(conf);
    PendingSession.register(writerConf);
    Path path = session.pathOf(cluster.s3(key));
    try (OutputStream out = path.getFileSystem(writerConf).create(path)) {
      out.write(text.getBytes(UTF_8));
    }
  }

  private CommitReport commit(List<OutputFile> files, Overwrite overwrite) throws Exception {
    Path out = cluster.s3("out");
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      CommitLog log =
          CommitLog.inBucket(stores, new CommitLogs(stores, conf).choose(out, Optional.empty()));
      CommitReport report =
          new JobCommit(
                  stores,
                  JobDirectory.of(jobDirectory, conf),
                  log,
                  CommitSettings.ofThreads(4),
                  CommitProgress.NONE)
              .run(
                  new CommitRequest(
                      new OutputJob(JOB, "the test's job", List.of(out)),
                      (workers, action) ->
                          workers.forEach(List.of(TaskManifest.of(JOB, ATTEMPT, files)), action),
                      overwrite,
                      Optional.of(Instant.now())));
      report.open().orElseThrow().end();
      return report;
    }
  }
}
