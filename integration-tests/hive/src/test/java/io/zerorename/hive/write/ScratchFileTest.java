package io.zerorename.hive.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.manifest.ManifestFiles;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.store.Failures;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of several attempts that upload one file, the first counts. */
class ScratchFileTest {
  private static final String JOB = "0b8f4d0e-6f0a-4c5e-8f0e-9a4f6c3d2e1c";
  private static final String NAME = "000000_0";

  private static EmbeddedS3Server server;
  private static BucketContents bucket;

  @TempDir private java.nio.file.Path directory;

  private final Configuration conf = new Configuration();
  private FileSystem scratch;
  private ScratchFile file;

  /** Renames as HDFS does. */
  static final class NoReplacement extends LocalFileSystem {
    private static final Object ONE_AT_A_TIME = new Object();

    /** What becomes of the answer of renames of manifests that succeed. */
    private static volatile Answer answer = Answer.GIVEN;

    @Override
    public boolean rename(Path source, Path target) throws IOException {
      synchronized (ONE_AT_A_TIME) {
        boolean renamed = !exists(target) && super.rename(source, target);
        if (!target.getName().equals(NAME)) {
          // A note of the job's.
          return renamed;
        }
        if (renamed && answer == Answer.LOST) {
          throw new IOException("the answer was lost");
        }
        return renamed && answer == Answer.GIVEN;
      }
    }
  }

  /** Of a rename. */
  enum Answer {
    GIVEN,
    LOST,
    /** The client has repeated the request, and the second one has found the target there. */
    REPEATED
  }

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket("attempts");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void write() throws IOException {
    NoReplacement.answer = Answer.GIVEN;
    server.hadoopSettings().forEach(conf::set);
    conf.set("zerorename.inline.max.bytes", "0");
    conf.set("zerorename.upload.spill.dirs", directory.resolve("spill").toString());
    conf.setClass("fs.file.impl", NoReplacement.class, FileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    file =
        new ScratchFile(
            new Path(directory.resolve("merged/" + NAME).toUri()),
            new Path("s3a://attempts/" + directory.getFileName() + "/" + NAME + "." + JOB),
            new Path(directory.resolve("staging/p=1/" + NAME).toUri()));
    scratch = file.source().getFileSystem(conf);
    try (var out = scratch.create(file.source())) {
      out.write(new byte[1000]);
    }
  }

  @Test
  void laterAttemptSkipsTheFile() throws Exception {
    upload("attempt_0");
    long uploads = begun();

    upload("attempt_1");

    assertThat(begun()).isEqualTo(uploads);
    assertOneCounts("attempt_0");
  }

  @Test
  void ofAttemptsAtOnceTheOtherAbortsItsUpload() throws Exception {
    long before = begun();
    HeldRequests held = new HeldRequests(1, request -> request.type() == RequestType.UPLOAD_PART);
    server.gateway().faults(held);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> attempts =
          Stream.of("attempt_0", "attempt_1")
              .<Future<?>>map(
                  id ->
                      threads.submit(
                          () -> {
                            upload(id);
                            return null;
                          }))
              .toList();
      Await.until("both upload", () -> held.seen() == 2);
      held.pass();
      for (Future<?> attempt : attempts) {
        attempt.get(1, TimeUnit.MINUTES);
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(begun() - before).isEqualTo(2);
    assertOneCounts("attempt_0", "attempt_1");
  }

  @Test
  void uploadOfAManifestWhoseRenameWasRepeatedStays() throws Exception {
    NoReplacement.answer = Answer.REPEATED;

    upload("attempt_0");

    assertOneCounts("attempt_0");
  }

  /** The attempt fails, and the next one takes the file for uploaded. */
  @Test
  void uploadOfAManifestWhoseRenameHasLostItsAnswerStays() throws Exception {
    NoReplacement.answer = Answer.LOST;

    assertThatThrownBy(() -> upload("attempt_0")).hasMessageContaining("the answer was lost");
    upload("attempt_1");

    assertOneCounts("attempt_0");
  }

  /** A file of gigabytes is not read to its end for a query that was cancelled. */
  @Test
  void cancelledUploadStopsBetweenReads() throws Exception {
    try (var out = scratch.create(file.source())) {
      out.write(new byte[32 << 20]);
    }
    AtomicLong reads = new AtomicLong();

    assertThatThrownBy(
            () ->
                upload(
                    "attempt_0",
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
    Await.until(
        "nothing is pending", () -> bucket.pendingUploads(directory.getFileName() + "/").isEmpty());
    assertThat(scratch.exists(file.manifest())).isFalse();
  }

  /** Threads that send parts count among those of the process, beside the file's own. */
  @ParameterizedTest
  @CsvSource({"0,1", "2,3", "512,4"})
  void partsAreSentByAsManyThreadsAsTheProcessMayHave(int ofProcess, int atOnce) throws Exception {
    try (var out = scratch.create(file.source())) {
      out.write(new byte[32 << 20]);
    }
    conf.setInt("zerorename.process.threads", ofProcess);
    conf.set("zerorename.upload.part.size", "5M");
    HeldRequests held = new HeldRequests(1, request -> request.type() == RequestType.UPLOAD_PART);
    server.gateway().faults(held);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> running =
          thread.submit(
              () -> {
                upload("attempt_0", 4, () -> {});
                return null;
              });
      Await.until(atOnce + " parts are sent", () -> held.seen() == atOnce);
      Thread.sleep(500);
      assertThat(held.seen()).isEqualTo(atOnce);
      held.pass();
      running.get(1, TimeUnit.MINUTES);
    } finally {
      thread.shutdownNow();
    }
  }

  private void upload(String attempt) throws IOException {
    upload(attempt, 1, () -> {});
  }

  private void upload(String attempt, int requests, Failures.Step between) throws IOException {
    new UploadAttempt(
            JOB, new Path(directory.resolve("work").toUri()), attempt, 1, new AtomicLong())
        .upload(List.of(file), requests, new Configuration(conf), between);
  }

  private static long begun() {
    return server.gateway().counts().of(RequestType.CREATE_MULTIPART_UPLOAD);
  }

  /** One manifest, whole, of the one upload that is pending, and nothing else but the source. */
  private void assertOneCounts(String... anyOf) throws IOException {
    TaskManifest manifest = ManifestFiles.read(scratch, file.manifest());
    assertThat(manifest.taskAttemptId()).isIn((Object[]) anyOf);
    assertThat(manifest.uploads()).extracting(PendingUpload::length).containsExactly(1000L);
    assertThat(bucket.pendingUploads(directory.getFileName() + "/"))
        .singleElement()
        .extracting(it -> it.uploadId())
        .isEqualTo(manifest.uploads().get(0).uploadId());
    assertThat(scratch.listStatus(file.source().getParent()))
        .extracting(FileStatus::getPath)
        .containsExactly(file.source());
    assertThat(scratch.listStatus(file.manifest().getParent()))
        .extracting(FileStatus::getPath)
        .containsExactly(file.manifest());
  }
}
