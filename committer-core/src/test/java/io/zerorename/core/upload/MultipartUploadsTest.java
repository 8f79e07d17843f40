package io.zerorename.core.upload;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryJournal;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MultipartUploadsTest {
  private static final int PART = 20_000;
  private static final Path FILE = new Path("s3a://bucket/table/day=1/000000_0.job");
  private static final String KEY = "table/day=1/000000_0.job";

  @TempDir java.nio.file.Path spill;

  private final InMemoryObjectStore store =
      new InMemoryObjectStore("bucket", Variant.aws().withMinPartSize(PART));
  private final InMemoryJournal journal = new InMemoryJournal();
  private final UploadMemory memory = new UploadMemory();
  private final List<MultipartUploads> all = new ArrayList<>();

  private MultipartUploads uploads(long memoryLimit) {
    Configuration configuration = new Configuration(false);
    configuration.set("zerorename.upload.spill.dirs", spill.toString());
    return uploads(memoryLimit, Long.MAX_VALUE, journal, configuration);
  }

  private MultipartUploads uploads(
      long memoryLimit, long createEarlyAfter, IntentJournal intents, Configuration configuration) {
    UploadSettings settings =
        new UploadSettings(
            PART, 3, 2, createEarlyAfter, memoryLimit, 1000, SpillDirectories.from(configuration));
    MultipartUploads uploads =
        new MultipartUploads(store, intents, "job", "attempt_0", settings, memory);
    all.add(uploads);
    return uploads;
  }

  private MultipartUploads uploadsCreatedAfter(long bytes, IntentJournal intents) {
    return uploads(1 << 20, bytes, intents, new Configuration(false));
  }

  private MultipartUploads uploads() {
    return uploads(1 << 20);
  }

  @AfterEach
  void nothingIsLeaked() throws IOException {
    for (MultipartUploads uploads : all) {
      uploads.close();
    }
    assertThat(memory.used()).isZero();
    assertThat(filesIn(spill)).isEmpty();
  }

  @Test
  void aFileOfPPartsCostsPPlusOneRequests() throws IOException {
    UploadStream stream = uploads().open(FILE);
    byte[] content = random(2 * PART + 5);
    stream.write(content);
    stream.close();
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L, RequestType.UPLOAD_PART, 3L));
    assertThat(store.keys()).isEmpty();
    assertThat(stream.position()).isEqualTo(content.length);
    complete(((PendingUpload) stream.file()));
    assertThat(store.content(KEY)).isEqualTo(content);
  }

  @Test
  void aFileOfExactlyOnePartCostsTwoRequests() throws IOException {
    UploadStream stream = uploads().open(FILE);
    stream.write(random(PART));
    stream.close();
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L, RequestType.UPLOAD_PART, 1L));
  }

  @Test
  void anEmptyFileIsOneEmptyPart() throws IOException {
    UploadStream stream = uploads().open(FILE);
    stream.close();
    assertThat(((PendingUpload) stream.file()).length()).isZero();
    assertThat(((PendingUpload) stream.file()).parts()).hasSize(1);
    assertThat(stream.tail().bytes()).isEmpty();
    complete(((PendingUpload) stream.file()));
    assertThat(store.content(KEY)).isEmpty();
  }

  @Test
  void nothingIsSentBeforeAPartIsFullOrTheStreamIsClosed() throws IOException {
    UploadStream stream = uploads().open(FILE);
    stream.write(random(PART));
    stream.flush();
    assertThat(store.requests()).isEmpty();
    assertThat(journal.entries()).isEmpty();
    stream.write(1);
    assertThat(store.requests()).containsKey(RequestType.CREATE_UPLOAD);
    stream.abort();
  }

  @Test
  void anUploadIsCreatedEarlyOnceTheFileHasOutgrownALimit() throws Exception {
    CountDownLatch created = new CountDownLatch(1);
    IntentJournal watched = destination -> uploadId -> created.countDown();
    UploadStream stream = uploadsCreatedAfter(1000, watched).open(FILE);
    byte[] content = random(1001);
    stream.write(content, 0, 1000);
    assertThat(created.getCount()).isEqualTo(1);
    stream.write(content, 1000, 1);
    created.await();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L));
    stream.close();
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L, RequestType.UPLOAD_PART, 1L));
    complete(((PendingUpload) stream.file()));
    assertThat(store.content(KEY)).isEqualTo(content);
  }

  @Test
  void anAbortWaitsForAnUploadThatIsBeingCreated() throws Exception {
    CountDownLatch creating = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    IntentJournal slow =
        destination -> {
          creating.countDown();
          awaitUninterruptibly(go);
          return uploadId -> {};
        };
    UploadStream stream = uploadsCreatedAfter(0, slow).open(FILE);
    stream.write(1);
    creating.await();
    Thread aborting = new Thread(() -> assertThatCode(stream::abort).doesNotThrowAnyException());
    aborting.start();
    while (aborting.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    // Not even an interrupt lets the upload be forgotten.
    aborting.interrupt();
    go.countDown();
    aborting.join();
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L, RequestType.ABORT_UPLOAD, 1L));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void anEarlyCreateThatFailsFailsTheFile() throws IOException {
    store.faults().fail(RequestType.CREATE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    UploadStream stream = uploadsCreatedAfter(0, journal).open(FILE);
    stream.write(1);
    assertThatThrownBy(stream::close)
        .hasMessageContaining("writing " + FILE + " failed")
        .hasMessageContaining("planned fault ACCESS_DENIED");
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L));
  }

  @Test
  void thePendingUploadNamesJobAttemptAndIdentityAndTheObjectCarriesIt() throws IOException {
    UploadStream stream = uploads().open(FILE);
    stream.write("x".getBytes(UTF_8));
    stream.close();
    PendingUpload pending = ((PendingUpload) stream.file());
    assertThat(pending.destination()).isEqualTo(FILE);
    assertThat(pending.jobId()).isEqualTo("job");
    assertThat(pending.taskAttemptId()).isEqualTo("attempt_0");
    complete(pending);
    assertThat(store.headObject(KEY).orElseThrow().metadata())
        .isEqualTo(Map.of(PendingUpload.IDENTITY_METADATA, pending.identity()));
  }

  @Test
  void theJournalKnowsTheUploadBeforeItExistsAndItsIdAfterwards() throws IOException {
    UploadStream stream = uploads().open(FILE);
    stream.close();
    assertThat(journal.entries())
        .containsExactly(FILE + " " + ((PendingUpload) stream.file()).uploadId());

    store.faults().fail(RequestType.CREATE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    UploadStream lost = uploads().open(new Path("s3a://bucket/lost"));
    assertThatThrownBy(lost::close).isInstanceOf(IOException.class);
    assertThat(journal.entries()).hasSize(2).contains("s3a://bucket/lost ?");
    assertThat(store.pendingKeys()).contains("lost");
  }

  @Test
  void withoutAJournalEntryNoUploadIsBegun() {
    IntentJournal broken =
        destination -> {
          throw new IOException("the cluster file system is full");
        };
    MultipartUploads uploads =
        new MultipartUploads(
            store, broken, "job", "a", UploadSettings.from(new Configuration(false), "b"), memory);
    all.add(uploads);
    assertThatThrownBy(() -> uploads.open(FILE).close())
        .hasMessageContaining(FILE.toString())
        .hasMessageContaining("the cluster file system is full");
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void anUploadWhoseIdCannotBeRecordedIsAborted() {
    IntentJournal broken =
        destination ->
            uploadId -> {
              throw new IOException("the cluster file system is full");
            };
    MultipartUploads uploads =
        new MultipartUploads(
            store, broken, "job", "a", UploadSettings.from(new Configuration(false), "b"), memory);
    all.add(uploads);
    assertThatThrownBy(() -> uploads.open(FILE).close())
        .hasMessageContaining("the cluster file system is full");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aFailedPartFailsTheStreamAndAbortsTheUpload() throws IOException {
    store.faults().fail(RequestType.UPLOAD_PART, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    UploadStream stream = uploads().open(FILE);
    byte[] content = random(20 * PART);
    assertThatThrownBy(
            () -> {
              stream.write(content);
              stream.close();
            })
        .hasMessageContaining("writing " + FILE + " failed")
        .hasMessageContaining("planned fault ACCESS_DENIED")
        .hasMessageContaining("run the task attempt again")
        .hasCauseInstanceOf(StoreException.class);
    assertThat(store.pendingKeys()).isEmpty();
    assertThatThrownBy(stream::file).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> stream.write(1)).hasMessageContaining("failed");
    assertThat(store.requests()).containsEntry(RequestType.ABORT_UPLOAD, 1L);
  }

  @Test
  void closeTellsWhichEarlierPartFailed() throws IOException {
    store.faults().fail(RequestType.UPLOAD_PART, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    UploadStream stream = uploads().open(FILE);
    stream.write(random(PART + 1));
    assertThatThrownBy(stream::close).hasMessageContaining("planned fault ACCESS_DENIED");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aFailedLastPartFailsCloseOnceAndClosingAgainDoesNothing() throws IOException {
    store.faults().fail(RequestType.UPLOAD_PART, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    UploadStream stream = uploads().open(FILE);
    stream.write(1);
    assertThatThrownBy(stream::close).hasMessageContaining("failed");
    stream.close();
    stream.abort();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aFailureOfWriteThatWasSwallowedIsToldByClose() throws IOException {
    store.faults().fail(RequestType.CREATE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.REJECTED);
    UploadStream stream = uploads().open(FILE);
    assertThatThrownBy(() -> stream.write(random(2 * PART))).isInstanceOf(IOException.class);
    assertThatThrownBy(stream::close).hasMessageContaining("writing " + FILE + " failed");
    stream.close();
  }

  @Test
  void anAbortThatFailsIsSaidAndTriedAgainWhenTheAttemptEnds() throws IOException {
    store.faults().fail(RequestType.UPLOAD_PART, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    store.faults().fail(RequestType.ABORT_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    MultipartUploads uploads = uploads();
    UploadStream stream = uploads.open(FILE);
    assertThatThrownBy(stream::close).hasMessageContaining("could not be aborted");
    assertThat(store.pendingKeys()).containsExactly(KEY);
    uploads.close();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void abortWorksAtEveryMomentAndTwice() throws IOException {
    MultipartUploads uploads = uploads();
    UploadStream untouched = uploads.open(FILE);
    untouched.abort();
    UploadStream midway = uploads.open(FILE);
    midway.write(random(3 * PART));
    midway.abort();
    midway.abort();
    midway.close();
    UploadStream closed = uploads.open(FILE);
    closed.close();
    closed.abort();
    closed.abort();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.requests()).containsEntry(RequestType.ABORT_UPLOAD, 2L);
    assertThatThrownBy(closed::file).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void closingTheAttemptAbortsOpenStreamsAndLeavesClosedOnesPending() throws IOException {
    MultipartUploads uploads = uploads();
    UploadStream closed = uploads.open(FILE);
    closed.close();
    UploadStream open = uploads.open(new Path("s3a://bucket/open"));
    open.write(random(2 * PART));
    uploads.close();
    uploads.close();
    assertThat(store.pendingKeys()).containsExactly(KEY);
    assertThat(((PendingUpload) closed.file()).destination()).isEqualTo(FILE);
    assertThatThrownBy(() -> uploads.open(FILE)).hasMessageContaining("already ended");
    assertThatThrownBy(() -> open.write(1)).hasMessageContaining("closed");
  }

  @Test
  void theTailReachesBackOverTheLastPart() throws IOException {
    byte[] content = random(2 * PART + 10);
    for (long limit : new long[] {1 << 20, 0}) {
      UploadStream stream = uploads(limit).open(FILE);
      stream.write(content);
      stream.close();
      assertThat(stream.tail().offset()).isEqualTo(content.length - 1000);
      assertThat(stream.tail().bytes())
          .isEqualTo(Arrays.copyOfRange(content, content.length - 1000, content.length));
    }
  }

  @Test
  void manySmallFilesStayWithinLittleMemory() throws IOException {
    MultipartUploads uploads = uploads();
    List<UploadStream> streams = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      UploadStream stream = uploads.open(new Path("s3a://bucket/small/" + i));
      stream.write(i);
      streams.add(stream);
    }
    assertThat(memory.used()).isEqualTo(100 * (8 << 10));
    for (UploadStream stream : streams) {
      stream.close();
    }
    assertThat(memory.used()).isZero();
    assertThat(store.pendingKeys()).hasSize(100);
  }

  @Test
  void pastTheMemoryLimitPartsGoThroughLocalFiles() throws IOException {
    MultipartUploads uploads = uploads(10_000);
    UploadStream stream = uploads.open(FILE);
    byte[] content = random(PART / 2);
    stream.write(content);
    assertThat(memory.used()).isLessThanOrEqualTo(10_000);
    assertThat(filesIn(spill)).hasSize(1);
    byte[] more = random(3 * PART);
    for (int i = 0; i < more.length; i += 7) {
      stream.write(more, i, Math.min(7, more.length - i));
    }
    stream.close();
    complete(((PendingUpload) stream.file()));
    assertThat(Arrays.copyOf(store.content(KEY), content.length)).isEqualTo(content);
    assertThat(Arrays.copyOfRange(store.content(KEY), content.length, content.length + more.length))
        .isEqualTo(more);
  }

  @Test
  void theEndsOfSentPartsStayWithinTheMemoryLimitToo() throws IOException {
    long limit = 50_000;
    MultipartUploads uploads = uploads(limit);
    Map<UploadStream, byte[]> contents = new LinkedHashMap<>();
    for (int i = 0; i < 100; i++) {
      UploadStream stream = uploads.open(new Path("s3a://bucket/many/" + i));
      byte[] content = random(PART + 1 + i);
      stream.write(content);
      contents.put(stream, content);
    }
    // Each has sent a part and keeps its end, 1,000 bytes, until more than that follows.
    assertThat(memory.used()).isBetween(1_000L, limit);
    assertThat(filesIn(spill)).hasSizeGreaterThan(50);
    for (Map.Entry<UploadStream, byte[]> written : contents.entrySet()) {
      byte[] content = written.getValue();
      UploadStream stream = written.getKey();
      stream.close();
      assertThat(stream.tail().bytes())
          .isEqualTo(Arrays.copyOfRange(content, content.length - 1000, content.length));
    }
  }

  @Test
  void theEndOfSentPartsIsGivenUpOnceTheTailIsInWhatFollows() throws IOException {
    UploadStream stream = uploads().open(FILE);
    byte[] content = random(PART + 1000);
    stream.write(content, 0, PART + 999);
    long withEnd = memory.used();
    stream.write(content, PART + 999, 1);
    assertThat(memory.used()).isEqualTo(withEnd - 1000);
    stream.close();
    assertThat(stream.tail().bytes()).isEqualTo(Arrays.copyOfRange(content, PART, content.length));
  }

  @Test
  void spillFilesAreForThisUserAloneInS3asDirectories() throws IOException {
    Configuration configuration = new Configuration();
    configuration.set("hadoop.tmp.dir", spill.toString());
    assumeThat(System.getenv("LOCAL_DIRS")).isNull();
    PartBuffer part = new PartBuffer(100, memory, 0, SpillDirectories.from(configuration));
    part.write(new byte[1], 0, 1);
    assertThat(filesIn(spill))
        .singleElement()
        .satisfies(
            file -> {
              assertThat(file.getParent()).isEqualTo(spill.resolve("s3a"));
              assertThat(Files.getPosixFilePermissions(file))
                  .containsExactlyInAnyOrder(OWNER_READ, OWNER_WRITE);
            });
    part.finish();
    part.discard();
  }

  @Test
  void withoutAnyLocalDirectoryTheMessageNamesTheKeyToSet() throws IOException {
    java.nio.file.Path file = Files.createFile(spill.resolve("no-directory"));
    Configuration configuration = new Configuration(false);
    configuration.set("zerorename.upload.spill.dirs", file.toString());
    configuration.set("zerorename.upload.memory.limit", "0");
    MultipartUploads uploads =
        new MultipartUploads(
            store, journal, "job", "a", UploadSettings.from(configuration, "bucket"), memory);
    all.add(uploads);
    UploadStream stream = uploads.open(FILE);
    assertThatThrownBy(() -> stream.write(1))
        .hasMessageContaining("zerorename.upload.spill.dirs")
        .hasMessageContaining("no-directory");
    Files.delete(file);
  }

  @Test
  void aSpillDirectoryThatVanishedFailsTheFileCleanly() throws IOException {
    java.nio.file.Path directory = Files.createDirectory(spill.resolve("dir"));
    Configuration configuration = new Configuration(false);
    configuration.set("zerorename.upload.spill.dirs", directory.toString());
    PartBuffer unlucky = new PartBuffer(100, memory, 0, SpillDirectories.from(configuration));
    Files.delete(directory);
    Files.createFile(directory);
    assertThatThrownBy(() -> unlucky.write(new byte[1], 0, 1))
        .hasMessageContaining("zerorename.upload.spill.dirs");
    unlucky.discard();
    Files.delete(directory);
  }

  @Test
  void threadsEndAndNoneIsNeededForSmallFiles() throws Exception {
    MultipartUploads uploads = uploads();
    try (UploadStream stream = uploads.open(FILE)) {
      stream.write(1);
    }
    assertThat(threadNames()).isEmpty();
    try (UploadStream stream = uploads.open(FILE)) {
      stream.write(random(5 * PART));
    }
    List<Thread> threads = uploadThreads();
    assertThat(threads).isNotEmpty();
    uploads.close();
    for (Thread thread : threads) {
      thread.join(10_000);
    }
    assertThat(threadNames()).isEmpty();
  }

  @Test
  void thePartSizeIsTheBucketsS3aPartSizeUnlessSet() {
    Configuration configuration = new Configuration(false);
    assertThat(UploadSettings.from(configuration, "b").partSize()).isEqualTo(64L << 20);
    configuration.set("fs.s3a.multipart.size", "16M");
    configuration.set("fs.s3a.bucket.other.multipart.size", "1M");
    assertThat(UploadSettings.from(configuration, "b").partSize()).isEqualTo(16L << 20);
    assertThat(UploadSettings.from(configuration, "other").partSize()).isEqualTo(5L << 20);
    configuration.set("zerorename.upload.part.size", "8M");
    assertThat(UploadSettings.from(configuration, "other").partSize()).isEqualTo(8L << 20);
  }

  @Test
  void anInterruptedWriterFailsAndLeavesNothing() throws IOException {
    UploadStream stream = uploads().open(FILE);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> stream.write(random(2 * PART))).hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.pendingKeys()).isEmpty();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts the pool", e);
    }
  }

  private void complete(PendingUpload pending) throws IOException {
    ObjectStore bucket = store.forPath(pending.destination());
    bucket.completeUpload(pending.key(), pending.uploadId(), pending.parts());
  }

  private static List<Thread> uploadThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("upload-attempt_0"))
        .toList();
  }

  private static List<String> threadNames() {
    return uploadThreads().stream().map(Thread::getName).toList();
  }

  private static List<java.nio.file.Path> filesIn(java.nio.file.Path directory) {
    try (Stream<java.nio.file.Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }
}
