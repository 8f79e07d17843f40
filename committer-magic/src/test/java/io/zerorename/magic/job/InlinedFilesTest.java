package io.zerorename.magic.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitStateUnknownException;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs whose small files travel to the commit, which writes each in one request. */
class InlinedFilesTest {
  private static final Map<RequestType, Long> PER_JOB =
      Map.of(
          // The destination at the beginning and before the decision; the log.
          RequestType.LIST, 3L,
          // The entry, the marker of its end, _SUCCESS.
          RequestType.PUT, 3L);

  private static final AtomicInteger NUMBERS = new AtomicInteger(300);

  @TempDir Path directory;
  private Path records;
  private InMemoryObjectStore store;
  private SimulatedJob job;

  @BeforeEach
  void begin() throws IOException {
    begin(Variant.aws());
  }

  private void begin(Variant variant) throws IOException {
    // Another store, of which nothing is noted yet.
    records = Files.createTempDirectory(directory, "records");
    store = new InMemoryObjectStore("bucket", variant);
    // The first job of a day checks what the store can do.
    SimulatedJob first = new SimulatedJob(store, records, NUMBERS.incrementAndGet()).inlining();
    first.setUp();
    first.task(0, 0, "first");
    first.commit();
    store.deleteObjects(List.of("out/first", "out/_SUCCESS"));
    store.resetCounts();
    job = new SimulatedJob(store, records, NUMBERS.incrementAndGet()).inlining();
  }

  private static Map<RequestType, Long> perJobAnd(int files) {
    Map<RequestType, Long> requests = new HashMap<>(PER_JOB);
    for (RequestType type :
        Set.of(RequestType.CREATE_UPLOAD, RequestType.UPLOAD_PART, RequestType.COMPLETE_UPLOAD)) {
      requests.put(type, (long) files);
    }
    return requests;
  }

  /** Uploads of tasks are listed before the decision, those of the commit itself are not. */
  private static Map<RequestType, Long> listingUploads(Map<RequestType, Long> requests) {
    requests.put(RequestType.LIST_UPLOADS, 1L);
    return requests;
  }

  @Test
  void aSmallFileTakesThreeRequestsAndNoneBeforeTheCommit() throws IOException {
    job.setUp();
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c", "d");
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L));
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c", "d");
    assertThat(store.content("out/c")).isEqualTo("c".getBytes(UTF_8));
    assertThat(store.requests()).isEqualTo(perJobAnd(4));
  }

  @Test
  void whatIsTooLargeForTheLimitsIsUploadedByTheTask() throws IOException {
    job.with(CoreKeys.INLINE_MAX_BYTES.name(), "4").with(CoreKeys.INLINE_TASK_BYTES.name(), "7");
    job.setUp();
    // The fourth does not fit any more, the last is too long.
    job.task(0, 0, "abcd", "ef", "g", "h", "ijklm");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "abcd", "ef", "g", "h", "ijklm");
    assertThat(store.requests()).isEqualTo(listingUploads(perJobAnd(5)));
  }

  @Test
  void whatIsTooMuchForTheJobIsUploadedByItsCommit() throws IOException {
    job.with(CoreKeys.INLINE_JOB_BYTES.name(), "3")
        .with(CoreKeys.COMMIT_THREADS.name(), "1")
        // Without a job that was submitted it is 2.
        .with("mapreduce.job.maps", "1");
    job.setUp();
    // Neither knows of the other.
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c", "d");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c", "d");
    assertThat(store.content("out/d")).isEqualTo("d".getBytes(UTF_8));
    assertThat(store.requests()).isEqualTo(perJobAnd(4));
  }

  @Test
  void tasksShareWhatTheCommitTakes() throws IOException {
    job.with(CoreKeys.INLINE_JOB_BYTES.name(), "4").with("mapreduce.job.maps", "2").setUp();
    job.task(0, 0, "a", "b", "c");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c");
    assertThat(store.requests()).isEqualTo(listingUploads(perJobAnd(3)));
  }

  @Test
  void aFailureOfSuchAnUploadFailsTheJobAndLeavesNothing() throws IOException {
    job.setUp();
    job.task(0, 0, "a", "b");
    store.faults().fail(RequestType.UPLOAD_PART, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::commit).hasMessageContaining("was not committed");
    job.abort();
    assertThat(job.files()).isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void anAbortedJobHasSentNothing() throws IOException {
    job.setUp();
    job.task(0, 0, "a");
    SimulatedJob.Running running = job.start(1, 0).write("b");
    store.resetCounts();
    job.abort();
    running.abort();
    assertThat(job.files()).isEmpty();
    assertThat(store.requests().keySet())
        .as("of the log, and one that finds no upload")
        .containsOnly(RequestType.PUT, RequestType.LIST, RequestType.LIST_UPLOADS);
  }

  @Test
  void aCommitThatIsBrokenOffIsCarriedOnFromItsPlanAlone() throws IOException {
    job.setUp();
    job.task(0, 0, "a", "b", "c");
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    store.faults().clear();
    try (Stream<Path> records =
        Files.walk(Path.of(job.records().path().toUri()).resolve("attempts"))) {
      for (Path record : records.filter(Files::isRegularFile).toList()) {
        Files.delete(record);
      }
    }
    job.restarted().commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c");
    assertThat(store.content("out/c")).isEqualTo("c".getBytes(UTF_8));
  }

  @Test
  void withRecordsOnS3AsWell() throws IOException {
    job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records")
        .with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    job.setUp();
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c");
    store.resetCounts();
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c");
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                // Two manifests with their files, and when the job was set up, as its committer is
                // not the one that did.
                RequestType.GET, 3L,
                RequestType.CREATE_UPLOAD, 3L,
                RequestType.UPLOAD_PART, 3L,
                RequestType.COMPLETE_UPLOAD, 3L,
                // The entry, the marker of its end, _SUCCESS.
                RequestType.PUT, 3L,
                // The log, manifests, the destination before the decision.
                RequestType.LIST, 3L,
                RequestType.LIST_UPLOADS, 1L,
                // The manifests.
                RequestType.BULK_DELETE, 1L));
  }

  @Test
  void bytesThatRestOnTheClusterFileSystemAreTheirOwnersAlone() throws IOException {
    job.setUp();
    job.task(0, 0, "a");
    Path attempts = Path.of(job.records().path().toUri()).resolve("attempts");
    try (Stream<Path> records = Files.list(attempts)) {
      Path record =
          records.filter(file -> file.toString().endsWith("_0.json")).findFirst().orElseThrow();
      assertThat(Files.readString(record)).endsWith("\na");
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(record);
      assertThat(PosixFilePermissions.toString(permissions)).isEqualTo("rw-------");
    }
  }

  @Test
  void underCustomerOrKmsKeysFilesAreUploadedUnlessTheUserSaysOtherwise() throws IOException {
    job.with("fs.s3a.bucket.bucket.encryption.algorithm", "SSE-KMS");
    job.setUp();
    job.task(0, 0, "a");
    job.commit();
    assertThat(store.requests()).as("of uploads of tasks").containsKey(RequestType.LIST_UPLOADS);

    store.resetCounts();
    SimulatedJob insisting =
        new SimulatedJob(store, records, NUMBERS.incrementAndGet())
            .inlining()
            .with("fs.s3a.encryption.algorithm", "SSE-C")
            .with(CoreKeys.INLINE_MAX_BYTES.name(), "1M");
    insisting.setUp();
    insisting.task(0, 0, "b");
    insisting.commit();
    assertThat(store.requests()).doesNotContainKey(RequestType.LIST_UPLOADS);
  }
}
