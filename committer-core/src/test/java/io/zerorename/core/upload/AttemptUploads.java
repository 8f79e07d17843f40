package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The uploads of one task attempt, to a store in memory, and that they leave nothing behind. */
abstract class AttemptUploads {
  static final int PART = 20_000;
  static final int THREADS = 3;
  static final Path FILE = new Path("s3a://bucket/table/day=1/000000_0.job");
  static final String KEY = "table/day=1/000000_0.job";
  static final UploadSettings SETTINGS = settings(1 << 20, new Configuration(false));

  @TempDir java.nio.file.Path spill;

  final InMemoryObjectStore store =
      new InMemoryObjectStore("bucket", Variant.aws().withMinPartSize(PART));

  final List<MultipartUploads> all = new ArrayList<>();

  MultipartUploads uploads(long memoryLimit) {
    Configuration configuration = new Configuration(false);
    configuration.set("fs.s3a.buffer.dir", spill.toString());
    return uploads(settings(memoryLimit, configuration), () -> {});
  }

  static UploadSettings settings(long memoryLimit, Configuration configuration) {
    return new UploadSettings(
        PART,
        THREADS,
        new Buffering(memoryLimit, Long.MAX_VALUE, configuration),
        1000,
        InlineSettings.none());
  }

  MultipartUploads uploads(UploadSettings settings, InvocationRaisingIOE beforeFirst) {
    return uploads(store, settings, beforeFirst);
  }

  MultipartUploads uploads(
      ObjectStores stores, UploadSettings settings, InvocationRaisingIOE beforeFirst) {
    MultipartUploads uploads =
        new MultipartUploads(stores, writer -> beforeFirst.apply(), "job", "attempt_0", settings);
    all.add(uploads);
    return uploads;
  }

  MultipartUploads uploads(InvocationRaisingIOE beforeFirst) {
    return uploads(SETTINGS, beforeFirst);
  }

  /**
   * Uploads whose parts do not go to the store at once.
   *
   * @param beforeEach runs before a part is sent
   */
  MultipartUploads uploadsWithParts(BeforeRequest.Step beforeEach) {
    ObjectStore way = BeforeRequest.of(store, "uploadPart", beforeEach);
    return uploads(path -> way, SETTINGS, () -> {});
  }

  /** Something that another thread does. */
  static final class Beside<T> extends FutureTask<T> {
    private final Thread thread = new Thread(this);

    private Beside(Callable<T> what) {
      super(what);
    }

    static <T> Beside<T> begin(Callable<T> what) {
      Beside<T> beside = new Beside<>(what);
      beside.thread.start();
      return beside;
    }

    boolean waits() {
      return thread.getState() == Thread.State.TIMED_WAITING;
    }

    void interrupt() {
      thread.interrupt();
    }

    void awaitEnd() throws Exception {
      get(1, TimeUnit.MINUTES);
    }
  }

  MultipartUploads uploadsWithPartsHeldUntil(CountDownLatch go) {
    return uploadsWithParts(() -> await(go));
  }

  /** As a request would, fails where its thread is interrupted. */
  static void await(CountDownLatch go) throws IOException {
    try {
      assertThat(go.await(2, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new InterruptedIOException("the request was interrupted");
    }
  }

  MultipartUploads uploads() {
    return uploads(1 << 20);
  }

  @AfterEach
  void nothingIsLeaked() throws IOException {
    for (MultipartUploads uploads : all) {
      uploads.close();
    }
    assertThat(Buffering.memoryUsed()).isZero();
    assertThat(filesIn(spill)).isEmpty();
  }

  /** Closes a file, and waits for its parts. */
  static PendingUpload pending(UploadStream stream) throws IOException {
    stream.close();
    return (PendingUpload) stream.file();
  }

  void complete(PendingUpload pending) throws IOException {
    ObjectStore bucket = store.forPath(pending.destination());
    bucket.completeUpload(pending.key(), pending.uploadId(), pending.parts());
  }

  static List<java.nio.file.Path> filesIn(java.nio.file.Path directory) {
    File[] found = directory.toFile().listFiles();
    return Stream.of(found == null ? new File[0] : found)
        .map(File::toPath)
        .flatMap(it -> Files.isDirectory(it) ? filesIn(it).stream() : Stream.of(it))
        .toList();
  }

  static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }
}
