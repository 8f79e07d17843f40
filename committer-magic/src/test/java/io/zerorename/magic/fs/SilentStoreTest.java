package io.zerorename.magic.fs;

import static io.zerorename.magic.fs.TestBucket.path;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.process.Await;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A task is killed, or its file system closed, while its writer waits for S3, which hangs. */
@Timeout(60)
class SilentStoreTest {
  private static final long LIMIT_SECONDS = 2;

  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private TestBucket bucket;
  private PendingSession session;

  @BeforeEach
  void makeBucket(@TempDir File directory) {
    bucket = new TestBucket(directory);
  }

  @AfterEach
  void answerAll() throws IOException {
    answer.countDown();
    session.close();
  }

  @ParameterizedTest
  @CsvSource({"uploadPart, true", "createUpload, false"})
  void aWriterThatWaitsIsStopped(String request, boolean byTheClose) throws Exception {
    FSDataOutputStream out = fileInStoreThatHangsIn(request);
    byte[] block = new byte[1 << 20];
    FutureTask<Void> writer =
        start(
            () -> {
              while (true) {
                out.write(block);
              }
            });
    isStoppedBy(byTheClose ? session::close : session::abort, writer);
  }

  /** As the task does that is about to report its manifest. */
  @ParameterizedTest
  @ValueSource(strings = {"createUpload", "uploadPart"})
  void aCommitThatWaitsIsStopped(String request) throws Exception {
    FSDataOutputStream out = fileInStoreThatHangsIn(request);
    out.close();
    isStoppedBy(session::abort, start(session::files));
  }

  /** The threads of all are busy, and one more waits for a thread. */
  @Test
  void filesThatAreWaitedForAreStoppedTogether() throws Exception {
    bucket.conf().set("zerorename.upload.threads", "3");
    FSDataOutputStream out = fileInStoreThatHangsIn("uploadPart");
    FutureTask<Void> writer =
        start(
            () -> {
              out.close();
              for (int i = 0; i < 3; i++) {
                bucket.write(session, "t/" + i, new byte[1]);
              }
              return null;
            });
    isStoppedBy(session::abort, writer);
  }

  private void isStoppedBy(BeforeRequest.Step end, FutureTask<?> writer) throws Exception {
    long began = System.nanoTime();
    FutureTask<Void> ending =
        new FutureTask<>(
            () -> {
              end.run();
              return null;
            });
    new Thread(ending, "abort").start();
    ending.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    long left = TimeUnit.SECONDS.toNanos(LIMIT_SECONDS) - (System.nanoTime() - began);
    assertThatThrownBy(() -> writer.get(left, TimeUnit.NANOSECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("aborted");

    answer.countDown();
    Await.until(
        "what was created is aborted",
        () ->
            bucket.requests().containsKey(RequestType.ABORT_UPLOAD)
                && bucket.store().pendingKeys().isEmpty());
  }

  private FSDataOutputStream fileInStoreThatHangsIn(String request) throws IOException {
    ObjectStore silent = BeforeRequest.of(bucket.store(), request, this::hang);
    session = bucket.open("attempt", path -> silent);
    return bucket.fileSystem(session).create(session.pathOf(path("t/f")));
  }

  /** As a thread does that waits for a socket, and does not notice an interrupt. */
  private void hang() {
    hangs.countDown();
    boolean interrupted = false;
    while (answer.getCount() > 0) {
      try {
        answer.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns once the writer waits for a request that hangs. */
  private <T> FutureTask<T> start(Callable<T> writing) throws Exception {
    FutureTask<T> writer = new FutureTask<>(writing);
    Thread thread = new Thread(writer, "record writer");
    thread.start();
    hangs.await();
    Await.until("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    return writer;
  }
}
