package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.process.Await;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files that cannot be written, and those that nobody wants any more. */
class FailedUploadsTest extends AttemptUploads {
  /** As of a full heap, which a process of many tasks may survive, and users' code may catch. */
  @Test
  void aFileOfWhichAnErrorLostBytesCannotBeClosed() throws IOException {
    InvocationRaisingIOE broken =
        () -> {
          throw new OutOfMemoryError("planned");
        };
    MultipartUploads uploads = uploads(broken);
    UploadStream inWrite = uploads.open(FILE);
    assertThatThrownBy(() -> writeForEver(inWrite))
        .isInstanceOf(IOException.class)
        .hasCauseInstanceOf(OutOfMemoryError.class);
    UploadStream inClose = uploads.open(new Path(FILE.getParent(), "closed"));
    inClose.write(1);
    assertThatThrownBy(() -> pending(inClose)).hasCauseInstanceOf(OutOfMemoryError.class);
    for (UploadStream stream : List.of(inWrite, inClose)) {
      assertThatThrownBy(stream::close).hasMessageContaining("failed: planned");
      assertThatThrownBy(stream::file).hasMessageContaining("failed: planned");
    }
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void aFileFailsForWhichNoThreadCanBeStarted() throws Exception {
    MultipartUploads uploads = uploads();
    uploads.threads =
        task -> {
          throw new OutOfMemoryError("planned");
        };
    for (int i = 0; i <= THREADS; i++) {
      UploadStream stream = uploads.open(FILE);
      assertThatThrownBy(stream::close).isInstanceOf(OutOfMemoryError.class);
      assertThatThrownBy(stream::close).hasMessageContaining("failed: planned");
    }
    assertThat(store.requests()).isEmpty();
  }

  /** The attempt may fail next, and nobody close or abort the file in its process. */
  @Test
  void aClosedFileWhosePartFailsKeepsNothing() throws Exception {
    for (long memoryLimit : new long[] {1 << 20, 0}) {
      store.faults().fail(RequestType.UPLOAD_PART, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
      UploadStream stream = uploads(memoryLimit).open(FILE);
      stream.write(random(PART + 1));
      stream.close();
      Await.until("it has failed", () -> store.pendingKeys().isEmpty() && !stream.isClosed());
      assertThat(Buffering.memoryUsed()).isZero();
      assertThat(filesIn(spill)).isEmpty();
      assertThatThrownBy(stream::file)
          .hasMessageContaining("writing " + FILE + " failed")
          .hasMessageContaining("planned fault ACCESS_DENIED");
    }
  }

  /** A store that does not answer must not hold up a task that is killed. */
  @Test
  void anInterruptedTaskDoesNotWaitLongForThePartThatIsUnderWay() throws Exception {
    CountDownLatch sending = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    UploadStream stream = uploadsWithParts(() -> await(sending, go)).open(FILE);
    stream.write(1);
    stream.close();
    sending.await();
    Beside<OutputFile> closing =
        Beside.begin(
            () -> {
              try {
                return stream.file();
              } finally {
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
              }
            });
    Await.until("it waits", closing::waits);
    closing.interrupt();
    assertThatThrownBy(closing::awaitEnd).hasMessageContaining("interrupted");
    go.countDown();
    awaitAbort();
  }

  @Test
  @Timeout(300)
  void aPartWithoutAnAnswerHasTheUploadAbortedAtItsEnd() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch sending = new CountDownLatch(1);
    UploadStream stream = uploadsWithParts(() -> await(sending, go)).open(FILE);
    stream.write(1);
    stream.close();
    sending.await();
    stream.abort();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L));
    go.countDown();
    awaitAbort();
  }

  private static void await(CountDownLatch sending, CountDownLatch go) throws IOException {
    sending.countDown();
    await(go);
  }

  private static void writeForEver(UploadStream stream) throws IOException {
    while (true) {
      stream.write(1);
    }
  }

  private void awaitAbort() throws Exception {
    Await.until("it is aborted", () -> store.requests().containsKey(RequestType.ABORT_UPLOAD));
    Await.until("that took effect", () -> store.pendingKeys().isEmpty());
    assertThat(Buffering.memoryUsed()).isZero();
  }

  @Test
  void aFailedPartFailsTheStreamAndAbortsTheUpload() throws IOException {
    store.faults().fail(RequestType.UPLOAD_PART, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    UploadStream stream = uploads().open(FILE);
    byte[] content = random(20 * PART);
    assertThatThrownBy(
            () -> {
              stream.write(content);
              pending(stream);
            })
        .hasMessageContaining("writing " + FILE + " failed")
        .hasMessageContaining("planned fault ACCESS_DENIED")
        .hasMessageContaining("Run the task attempt again")
        .hasCauseInstanceOf(StoreException.class);
    assertThat(store.pendingKeys()).isEmpty();
    assertThatThrownBy(stream::file).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> stream.write(1)).hasMessageContaining("failed");
    assertThat(store.requests()).containsEntry(RequestType.ABORT_UPLOAD, 1L);
  }

  @Test
  void anAbortThatFailsIsTriedAgainByTheWriterAndWhenTheAttemptEnds() throws IOException {
    store.faults().fail(RequestType.UPLOAD_PART, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    store.faults().failFrom(RequestType.ABORT_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    MultipartUploads uploads = uploads();
    UploadStream stream = uploads.open(FILE);
    assertThatThrownBy(() -> pending(stream)).hasMessageContaining("planned fault AMBIGUOUS");
    assertThatThrownBy(stream::abort).isInstanceOf(StoreException.class);
    assertThat(store.pendingKeys()).containsExactly(KEY);
    store.faults().clear();
    uploads.close();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void abortWorksAtEveryMomentAndTwice() throws Exception {
    MultipartUploads uploads = uploads();
    UploadStream untouched = uploads.open(FILE);
    untouched.abort();
    UploadStream midway = uploads.open(FILE);
    midway.write(random(3 * PART));
    Await.until("it is sent", () -> store.requests().containsKey(RequestType.UPLOAD_PART));
    midway.abort();
    midway.abort();
    assertThatThrownBy(midway::close).hasMessageContaining("its task attempt was aborted");
    UploadStream closed = uploads.open(FILE);
    pending(closed);
    closed.abort();
    closed.abort();
    assertThat(uploads.streams).isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.requests()).containsEntry(RequestType.ABORT_UPLOAD, 2L);
    assertThatThrownBy(closed::file).hasMessageContaining("its task attempt was aborted");
  }

  @Test
  void anInterruptedWriterFailsAndLeavesNothing() throws Exception {
    UploadStream stream = uploads().open(FILE);
    stream.write(random(PART + 1));
    Await.until("it is sent", () -> store.requests().containsKey(RequestType.UPLOAD_PART));
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> stream.write(random(2 * PART))).hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.requests()).containsEntry(RequestType.ABORT_UPLOAD, 1L);
  }

  @Test
  void anAbortUnderAnInterruptLeavesNothingAndKeepsTheInterrupt() throws Exception {
    UploadStream open = uploads().open(FILE);
    open.write(random(PART + 1));
    Await.until("it is sent", () -> store.requests().containsKey(RequestType.UPLOAD_PART));
    UploadStream closed = uploads().open(new Path(FILE.getParent(), "closed"));
    pending(closed);
    Thread.currentThread().interrupt();
    open.abort();
    closed.abort();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.requests()).containsEntry(RequestType.ABORT_UPLOAD, 2L);
  }
}
