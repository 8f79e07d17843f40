package io.zerorename.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.TestJob;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Uploads that nobody will complete are found and aborted, and no others. */
class UploadSweepTest {
  @TempDir java.nio.file.Path workDir;

  private InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private FileSystem fileSystem;
  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");
  private TestJob job;

  @BeforeEach
  void newJob() throws IOException {
    fileSystem = FileSystem.getLocal(new Configuration(false));
    job = TestJob.withLogIn(logs, store, workDir, "job-1");
  }

  @Test
  void aWriterThatWasKilledIsCleanedByTheAbort() throws IOException {
    // Killed at three moments: before Create, after it, and with a part uploaded.
    job.directory().noteWriter("never");
    noteAndCreate("early");
    UploadStream late = job.uploads("a").open(job.path("late"));
    late.close();
    late.file();
    store.resetCounts();
    assertThat(job.abort()).hasValue(2);
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.requests())
        .as("one listing; the parts of each upload are looked at after its abort")
        .isEqualTo(
            Map.of(
                RequestType.LIST_UPLOADS,
                1L,
                RequestType.LIST_PARTS,
                2L,
                RequestType.ABORT_UPLOAD,
                2L));
  }

  /** A store may not know the request, or not answer it for now. */
  @ParameterizedTest
  @CsvSource({"REJECTED, false", "AMBIGUOUS, true"})
  void uploadsThatRecordsNameAreAbortedThoughTheStoreListsNone(Kind kind, boolean fails)
      throws IOException {
    job.task("a", "0", "1").publish();
    store.faults().failFrom(RequestType.LIST_UPLOADS, 1, Moment.BEFORE_EFFECT, kind);
    if (fails) {
      assertThatThrownBy(job::abort).hasMessageContaining("planned fault");
    } else {
      assertThat(job.abort()).hasValue(2);
    }
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(job.directory().hasFiles("a")).isEqualTo(fails);
  }

  /** Of MapReduce's part-r-00000, say; it may be the upload of any job. */
  @Test
  void anUploadUnderAPlainNameIsAbortedOnlyIfAManifestHasItsId() throws IOException {
    Path known = new Path(TestJob.TABLE, "part-r-00000");
    Path unknown = new Path(TestJob.TABLE, "part-r-00001");
    publish(job, "a", known);
    upload(job.uploads("b").open(unknown));
    assertThat(job.abort()).hasValue(1);
    assertThat(store.pendingKeys()).containsExactly("warehouse/t/part-r-00001");
  }

  /** Nobody knows its id, and files of its attempt are committed. */
  @Test
  void anUploadWhoseCreateWasNotAnsweredIsAbortedAtTheEndOfItsJob() throws IOException {
    store.faults().fail(RequestType.CREATE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    job.task("a", "0");
    assertThat(store.pendingKeys()).hasSize(2);
    assertThat(job.insert().aborted()).isEqualTo(1);
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.keys()).contains(job.key("0"));
  }

  /** Another attempt of the same task may upload to the same key. */
  @Test
  void theAbortOfAnAttemptLeavesItsUploadsToTheEndOfTheJob() throws IOException {
    noteAndCreate("hung");
    upload(job.uploads("a").open(job.path("known")));

    assertThat(job.directory().attempts().abort("a")).isTrue();

    assertThat(store.pendingKeys()).hasSize(2);
    assertThatThrownBy(() -> publish(job, "a", job.path("known")))
        .hasMessageContaining("it was aborted");
    assertThat(job.abort()).hasValue(3);
  }

  @Test
  void onlyACommitBesideWritersThatItDoesNotHaveListsUploads() throws IOException {
    job.task("a", "0", "1").smallTask("b", "2");
    store.resetCounts();
    job.insert();
    long withoutLosers = store.requests().get(RequestType.LIST_UPLOADS);
    assertThat(job.directory().hasFiles("a")).isFalse();

    TestJob other = TestJob.withLogIn(logs, store, workDir, "job-2");
    other.task("a", "0", "1").smallTask("b", "2").losingTask("c", "0");
    store.resetCounts();
    assertThat(other.insert().aborted()).isEqualTo(1);
    assertThat(store.requests())
        .containsEntry(RequestType.LIST_UPLOADS, withoutLosers + 1)
        .containsEntry(RequestType.ABORT_UPLOAD, 1L);
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.keys()).contains(other.key("0"), other.key("1"), other.key("2"));
  }

  /** As where a task is run again that had put one of its files in place. */
  @Test
  void whatAnAttemptHasLeftIsAbortedAlsoWhereAnotherFileOfItIsCommitted() throws IOException {
    job.task("m_000000_0", "0").task("m_000000_1", "1");
    store.createUpload(job.key("2"), Map.of());
    assertThat(job.insert().aborted()).isEqualTo(1);
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.keys()).contains(job.key("0"), job.key("1"));
  }

  /** Tez's next application master gives ids again that the last one gave before it was killed. */
  @Test
  void whatAProcessHasLeftIsAbortedAlsoWhereAnotherHadItsAttemptsId() throws IOException {
    Path notes = new Path(job.directory().path(), "writers");
    fileSystem.create(new Path(notes, "a~killed")).close();
    store.createUpload(job.key("1"), Map.of());
    job.task("a", "0");
    assertThat(fileSystem.listStatus(notes))
        .hasSize(2)
        .allMatch(it -> it.getPath().getName().startsWith("a~"));
    assertThat(job.insert().aborted()).isEqualTo(1);
    assertThat(store.pendingKeys()).isEmpty();
  }

  private static void publish(TestJob job, String attempt, Path file) throws IOException {
    try (MultipartUploads uploads = job.uploads(attempt)) {
      UploadStream stream = uploads.open(file);
      stream.close();
      job.directory()
          .attempts()
          .publish(TaskManifest.of(job.id(), attempt, List.of(stream.file())));
    }
  }

  private void noteAndCreate(String name) throws IOException {
    job.directory().noteWriter("a");
    store.createUpload(job.key(name), Map.of());
  }

  /** As a writer that is killed behind its last part. */
  private static void upload(UploadStream stream) throws IOException {
    stream.close();
    stream.file();
  }
}
