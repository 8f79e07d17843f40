package io.zerorename.hive.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uploads of files that Hive has merged, from HiveServer2's process. */
class MergedFilesTest {
  private static final String JOB = "0b8f4d0e-6f0a-4c5e-8f0e-9a4f6c3d2e1c";
  private static final String NAME = "000000_0";

  private static EmbeddedS3Server server;
  private static BucketContents bucket;

  @TempDir private java.nio.file.Path directory;

  private final HiveConf conf = new HiveConf();
  private Path merged;
  private Path staging;
  private FileSystem scratch;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket("merged");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void settings() throws IOException {
    server.hadoopSettings().forEach(conf::set);
    conf.set("zerorename.inline.max.bytes", "0");
    conf.set("fs.s3a.buffer.dir", directory.resolve("spill").toString());
    merged = new Path(directory.resolve("merged").toUri());
    staging = new Path(directory.resolve("staging").toUri());
    scratch = merged.getFileSystem(conf);
  }

  private void write(int bytes) throws IOException {
    try (var out = scratch.create(new Path(merged, NAME))) {
      out.write(new byte[bytes]);
    }
  }

  @Test
  void eachIsAnUploadWithAManifest() throws Exception {
    write(1000);

    upload(1, () -> {});

    TaskManifest manifest = TaskManifest.read(scratch, new Path(staging, NAME));
    assertThat(manifest.uploads()).extracting(PendingUpload::length).containsExactly(1000L);
    assertThat(bucket.pendingUploads(prefix()))
        .singleElement()
        .extracting(it -> it.uploadId())
        .isEqualTo(manifest.uploads().get(0).uploadId());
    assertThat(bucket.files(prefix())).isEmpty();
  }

  @Test
  void whereThereIsNoneTheCommitFindsAnEmptyDirectory() throws Exception {
    upload(1, () -> {});

    assertThat(scratch.listStatus(staging)).isEmpty();
  }

  /** A file of gigabytes is not read to its end for a query that was cancelled. */
  @Test
  void cancelledUploadStopsBetweenReadsAndIsAborted() throws Exception {
    write(32 << 20);
    AtomicLong reads = new AtomicLong();

    assertThatThrownBy(
            () ->
                upload(
                    1,
                    () -> {
                      if (reads.incrementAndGet() == 100) {
                        throw new InterruptedIOException("cancelled");
                      }
                    }))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessage("cancelled");

    assertThat(reads).hasValue(100);
    // An upload whose Create takes longer than a second is aborted after that.
    Await.until("nothing is pending", () -> bucket.pendingUploads(prefix()).isEmpty());
    assertThat(scratch.exists(new Path(staging, NAME))).isFalse();
  }

  private void upload(int requests, InvocationRaisingIOE refuseIfCancelled) throws IOException {
    OutputSpec spec =
        new OutputSpec(
            "not asked for",
            new Path("s3a://merged/" + prefix()),
            staging,
            "",
            JOB,
            new Path(directory.resolve("work").toUri()));
    MergedFiles.in(spec, merged, List.of(), conf).upload(requests, refuseIfCancelled);
  }

  private String prefix() {
    return directory.getFileName() + "/";
  }
}
