package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.RequestType;
import io.zerorename.testing.process.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of the bytes of a file, and in how many requests. */
class MultipartUploadsTest extends AttemptUploads {
  /** An empty file is one empty part. */
  @ParameterizedTest
  @CsvSource({"40005, 3", "20000, 1", "0, 1"})
  void aFileOfPPartsCostsPPlusOneRequests(int size, long parts) throws IOException {
    UploadStream stream = uploads().open(FILE);
    byte[] content = random(size);
    stream.write(content);
    PendingUpload pending = pending(stream);
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L, RequestType.UPLOAD_PART, parts));
    assertThat(store.keys()).isEmpty();
    assertThat(stream.position()).isEqualTo(size);
    complete(pending);
    assertThat(store.content(KEY)).isEqualTo(content);
  }

  /** Two files of at most 1,000 bytes, which together may have 1,500. */
  @Test
  void anUploadIsCreatedEarlyOnceTheFileCannotBeInlined() throws Exception {
    MultipartUploads uploads =
        uploads(SETTINGS.with(new InlineSettings(1000, 1500, new AtomicLong())), () -> {});
    UploadStream first = uploads.open(new Path(FILE.getParent(), "first"));
    first.write(random(1000));
    first.close();
    UploadStream second = uploads.open(FILE);
    second.write(random(500));
    second.flush();
    assertThat(store.requests()).isEmpty();

    second.write(1);
    Await.until("it is created", () -> !store.requests().isEmpty());
    second.close();
    assertThat(first.file()).isInstanceOf(InlineFile.class);
    assertThat(second.file()).isInstanceOf(PendingUpload.class);
  }

  @Test
  void anAttemptIsNotedOnceBeforeItsFirstUploadExists() throws IOException {
    AtomicInteger begun = new AtomicInteger();
    MultipartUploads uploads =
        uploads(
            () -> {
              begun.incrementAndGet();
              assertThat(store.requests()).isEmpty();
            });
    pending(uploads.open(FILE));
    pending(uploads.open(new Path(FILE.getParent(), "second")));
    assertThat(begun).hasValue(1);
  }

  @Test
  void closingTheAttemptAbortsStreamsThatWereNotTaken() throws IOException {
    MultipartUploads uploads = uploads();
    UploadStream taken = uploads.open(FILE);
    pending(taken);
    UploadStream closed = uploads.open(new Path("s3a://bucket/closed"));
    closed.close();
    UploadStream open = uploads.open(new Path("s3a://bucket/open"));
    open.write(random(2 * PART));
    uploads.close();
    uploads.close();
    assertThat(store.pendingKeys()).containsExactly(KEY);
    assertThat(taken.file().destination()).isEqualTo(FILE);
    assertThatThrownBy(() -> uploads.open(FILE)).hasMessageContaining("already ended");
    assertThatThrownBy(() -> open.write(1)).hasMessageContaining("its task attempt was aborted");
    assertThatThrownBy(closed::file).hasMessageContaining("its task attempt was aborted");
  }

  /** Each last part is sent only once all of them are about to be. */
  @Test
  void closedFilesAreSentTogether() throws Exception {
    CyclicBarrier together = new CyclicBarrier(THREADS);
    MultipartUploads uploads = uploadsWithParts(() -> together.await(1, TimeUnit.MINUTES));
    List<UploadStream> streams = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      UploadStream stream = uploads.open(new Path(FILE.getParent(), "f" + i));
      streams.add(stream);
      stream.write(i);
      stream.close();
      stream.close();
      assertThat(stream.tail()).containsExactly(i);
      assertThatThrownBy(() -> stream.write(1)).hasMessageContaining("the stream is closed");
    }
    for (UploadStream stream : streams) {
      complete(pending(stream));
      assertThat(stream.isSending()).isFalse();
    }
    for (int i = 0; i < THREADS; i++) {
      assertThat(store.content("table/day=1/f" + i)).containsExactly(i);
    }
    assertThat(store.requests())
        .containsEntry(RequestType.CREATE_UPLOAD, (long) THREADS)
        .containsEntry(RequestType.UPLOAD_PART, (long) THREADS);
  }

  @Test
  void noMoreFilesAreBeingSentThanThereAreThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    MultipartUploads uploads = uploadsWithPartsHeldUntil(go);
    List<UploadStream> streams = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      streams.add(uploads.open(new Path(FILE.getParent(), "f" + i)));
      streams.get(i).close();
      assertThat(streams.get(i).isSending()).isTrue();
    }
    UploadStream waiting = uploads.open(FILE);
    Beside<Void> closing =
        Beside.begin(
            () -> {
              waiting.close();
              return null;
            });
    Await.until("it waits", closing::waits);
    assertThat(waiting.isClosed()).isFalse();
    go.countDown();
    closing.awaitEnd();
    streams.add(waiting);
    for (UploadStream stream : streams) {
      pending(stream);
    }
    assertThat(store.pendingKeys()).hasSize(THREADS + 1);
  }

  /** Until the last part is sent, the tail takes no memory that the limit does not count. */
  @Test
  void theTailOfAFileThatIsBeingSentIsReadWhenItIsAskedFor() throws Exception {
    byte[] content = random(5000);
    for (boolean forgotten : new boolean[] {false, true}) {
      CountDownLatch go = new CountDownLatch(1);
      UploadStream stream = uploadsWithPartsHeldUntil(go).open(FILE);
      stream.write(content);
      stream.close();
      if (forgotten) {
        stream.forgetTail();
      }
      byte[] end = forgotten ? new byte[0] : Arrays.copyOfRange(content, 4000, 5000);
      assertThat(stream.tail()).isEqualTo(end);
      assertThat(stream.isSending()).isTrue();
      go.countDown();
      complete(pending(stream));
      assertThat(stream.tail()).isEqualTo(end);
      assertThat(store.content(KEY)).isEqualTo(content);
    }
  }

  /** Another thread than its writer's closes it, perhaps in the midst of a write. */
  @Test
  @Timeout(300)
  void eachWriteThatHasReturnedIsInTheFile() throws Exception {
    for (int run = 0; run < 100; run++) {
      UploadStream stream = uploads().open(FILE);
      AtomicLong written = new AtomicLong();
      Thread writer =
          new Thread(
              () ->
                  assertThatThrownBy(
                          () -> {
                            while (true) {
                              stream.write(new byte[7_000]);
                              written.addAndGet(7_000);
                            }
                          })
                      .hasMessageContaining("the stream is closed"));
      writer.start();
      while (written.get() < (long) run * 7_000) {
        Thread.onSpinWait();
      }
      stream.close();
      writer.join();
      PendingUpload file = (PendingUpload) stream.file();
      assertThat(file.length()).as("run %s", run).isEqualTo(written.get());
    }
    assertThat(Buffering.memoryUsed()).isZero();
  }

  @Test
  void aFileOfMorePartsThanS3AllowsIsRefused() throws IOException {
    UploadSettings tiny =
        new UploadSettings(1, THREADS, SETTINGS.buffering(), 0, SETTINGS.inline());
    UploadStream stream = uploads(tiny, () -> {}).open(FILE);
    assertThatThrownBy(
            () -> {
              stream.write(random(10_001));
              pending(stream);
            })
        .hasMessageContaining("ZR-2106: the file needs more than 10000 parts")
        .hasMessageContaining("fs.s3a.multipart.size");
  }

  @Test
  void thePartSizeIsThatOfS3AForTheBucket() {
    Configuration configuration = new Configuration(false);
    assertThat(UploadSettings.from(configuration, "b").partSize()).isEqualTo(64L << 20);
    configuration.set("fs.s3a.multipart.size", "16M");
    configuration.set("fs.s3a.bucket.other.multipart.size", "1M");
    assertThat(UploadSettings.from(configuration, "b").partSize()).isEqualTo(16L << 20);
    assertThat(UploadSettings.from(configuration, "other").partSize()).isEqualTo(5L << 20);
  }
}
