package io.zerorename.core.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.BreakableFileSystem;
import io.zerorename.core.commit.JobAbort.Result;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.IntentJournal;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uploads that nobody will complete are found and aborted, and no others. */
class UploadJournalTest {
  @TempDir java.nio.file.Path workDir;

  private InMemoryObjectStore store =
      new InMemoryObjectStore("bucket", Variant.aws().withUploadsListedByExactKey());
  private BreakableFileSystem fileSystem;
  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");
  private TestJob job;

  @BeforeEach
  void newJob() throws IOException {
    fileSystem = new BreakableFileSystem();
    job = TestJob.withLogIn(logs, store, fileSystem, workDir, "job-1");
  }

  @Test
  void theJobsDirectoryIsReadableByItsOwnerOnly() throws IOException {
    assertThat(fileSystem.getFileStatus(job.directory().path()).getPermission())
        .isEqualTo(new FsPermission((short) 0700));
  }

  @Test
  void twoWritersOfOneAttemptsIdMayHandOverAtTheSameTime() throws IOException {
    Path own = new Path(workDir.toUri());
    IntentJournal other = new UploadJournal(fileSystem, own, new Path(own, "no")).journalOf("a");
    FileSystem racing =
        new FilterFileSystem(fileSystem) {
          private boolean late;

          @Override
          public boolean exists(Path path) throws IOException {
            boolean before = super.exists(path);
            if (!late) {
              late = true;
              other.willInline(job.path("one"));
            }
            return before;
          }

          @Override
          public FSDataOutputStream create(
              Path path,
              FsPermission permission,
              boolean overwrite,
              int buffer,
              short replication,
              long block,
              Progressable progress)
              throws IOException {
            if (overwrite) {
              throw new IOException("the first writer of " + path + " cannot close it any more");
            }
            return super.create(path, permission, false, buffer, replication, block, progress);
          }
        };

    new UploadJournal(racing, own, new Path(own, "no")).journalOf("a").willInline(job.path("two"));

    assertThat(fileSystem.exists(new Path(own, "a/handed-over"))).isTrue();
  }

  @Test
  void aWriterThatWasKilledIsCleanedByTheAbort() throws IOException {
    // Killed at three moments: before Create, after it, and with a part uploaded.
    job.directory().journal("a").willCreate(job.path("never"));
    announceAndCreate("early");
    UploadStream late = job.uploads("a").open(job.path("late"));
    late.close();
    store.resetCounts();
    assertThat(job.abort()).isEqualTo(new Result.Aborted(2, 0));
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.requests())
        .as(
            "one look for what was found, three for what may still be on its way; the parts of each"
                + " upload are looked at before its abort and after")
        .isEqualTo(
            Map.of(
                RequestType.LIST_UPLOADS,
                4L,
                RequestType.LIST_PARTS,
                4L,
                RequestType.ABORT_UPLOAD,
                2L));
  }

  @Test
  void anAbortThatIsRepeatedChangesNothingAndCostsNothing() throws IOException {
    job.task("a", "day=1/0");
    job.abort();
    store.resetCounts();
    assertThat(job.abort()).isEqualTo(new Result.Aborted(0, 0));
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void anAbortThatFailedMidwayGoesOnWithTheOthersAndTriesTheRestAgain() throws IOException {
    job.task("a", "0", "1", "2");
    store.faults().fail(RequestType.ABORT_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::abort).hasMessageContaining("planned fault");
    assertThat(store.pendingKeys()).hasSize(1);
    assertThat(job.abort()).isEqualTo(new Result.Aborted(1, 1));
    assertThat(store.pendingKeys()).isEmpty();
  }

  /** A part that was under way may arrive after the abort. */
  @Test
  void whatCannotBeSeenAfterAnAbortIsLookedAtAgain() throws IOException {
    job.task("a", "0");
    store.faults().fail(RequestType.LIST_PARTS, 2, Moment.BEFORE_EFFECT, Kind.NO_CREDENTIALS);
    assertThatThrownBy(job::abort).hasMessageContaining("planned fault");
    assertThat(job.directory().uploads().isEmpty()).isFalse();
    assertThat(job.abort()).isEqualTo(new Result.Aborted(0, 0));
    assertThat(store.requests()).containsEntry(RequestType.LIST_PARTS, 3L);
  }

  @Test
  void anUploadThatIsGoneAlreadyIsFine() throws IOException {
    job.task("a", "0");
    store.abortUpload(job.key("0"), job.chosen().get(0).uploads().get(0).uploadId());
    assertThat(job.abort()).isEqualTo(new Result.Aborted(0, 0));
  }

  @Test
  void withoutItsIdOnlyAnUploadWhoseKeyCarriesTheJobsIdIsAborted() throws IOException {
    store.createUpload("warehouse/t/000000_0", Map.of());
    job.directory().journal("a").willCreate(new Path("s3a://bucket/warehouse/t/000000_0"));
    assertThat(job.abort()).isEqualTo(new Result.Aborted(0, 0));
    assertThat(store.pendingKeys()).containsExactly("warehouse/t/000000_0");
  }

  @Test
  void anUploadOfAnotherKeyWithTheSamePrefixIsLeftAlone() throws IOException {
    store = new InMemoryObjectStore("bucket");
    job = TestJob.withLogIn(logs, store, fileSystem, workDir, "job-2");
    job.directory().journal("a").willCreate(job.path("0"));
    store.createUpload(job.key("0") + "0", Map.of());
    job.abort();
    assertThat(store.pendingKeys()).containsExactly(job.key("0") + "0");
    assertThat(store.requests()).doesNotContainKey(RequestType.ABORT_UPLOAD);
  }

  @Test
  void entriesThatWereCutOffAreReadAsFarAsTheyAreSure() throws IOException {
    announceAndCreate("cut");
    IntentJournal.Entry complete = job.directory().journal("a").willCreate(job.path("complete"));
    complete.created("upload-id");
    for (java.nio.file.Path file : journalFiles()) {
      // Local checksums would turn a cut into an error of another kind.
      Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
      if (file.toString().endsWith(".upload")) {
        Files.write(file, "upload-".getBytes(UTF_8));
      }
    }
    java.nio.file.Path directory = workDir.resolve("jobs/job-1/journal/a");
    Files.write(directory.resolve("killed.intent"), "s3a://bucket/wareh".getBytes(UTF_8));
    Files.write(directory.resolve("empty.intent"), new byte[0]);

    try (Workers workers = new Workers(2)) {
      assertThat(job.directory().uploads().read(CommittedUploads.none(), workers))
          .containsExactlyInAnyOrder(
              new JobUploads.Entry(job.path("cut"), Optional.empty()),
              new JobUploads.Entry(job.path("complete"), Optional.empty()));
    }
    assertThat(job.abort()).isEqualTo(new Result.Aborted(1, 0));
  }

  /** Another attempt of the same task may upload to the same key. */
  @Test
  void theAbortOfAnAttemptLeavesAnUploadOfWhichOnlyTheKeyIsKnown() throws IOException {
    announceAndCreate("hung");
    job.uploads("a").open(job.path("known")).close();
    assertThat(store.pendingKeys()).hasSize(2);

    assertThat(job.directory().abortAttempt("a", store, CommitSettings.ofThreads(2))).isTrue();

    assertThat(store.pendingKeys()).containsExactly(job.key("hung"));
    assertThat(job.abort()).isEqualTo(new Result.Aborted(1, 0));
  }

  @Test
  void committedUploadsAreLeftOut() throws IOException {
    job.directory().journal("a").willCreate(job.path("a")).created("id-a");
    job.directory().journal("a").willCreate(job.path("b")).created("id-b");
    try (Workers workers = new Workers(2)) {
      CommittedUploads first =
          new CommittedUploads() {
            @Override
            public int uploadsOf(String taskAttemptId) {
              return 1;
            }

            @Override
            public Set<String> among(Set<String> uploadIds) {
              return Set.of("id-a");
            }
          };
      assertThat(job.directory().uploads().read(first, workers))
          .containsExactly(new JobUploads.Entry(job.path("b"), Optional.of("id-b")));
    }
  }

  @Test
  void aWriterThatOutlivesItsJobCannotBeginAnUpload() throws IOException {
    job.abort();
    try (MultipartUploads zombie = job.uploads("zombie")) {
      UploadStream stream = zombie.open(job.path("0"));
      assertThatThrownBy(stream::close)
          .hasMessageContaining("has ended already")
          .hasMessageContaining(job.path("0").toString());
    }
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void aWriterThatCreatesWhileTheJobIsAbortedAbortsItsOwnUpload() throws IOException {
    // The sweep runs between the writer's Create and its record of the id, and finds no upload.
    IntentJournal journal = job.directory().journal("a");
    store.faults().fail(RequestType.LIST_UPLOADS, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    IntentJournal racing =
        destination -> {
          IntentJournal.Entry entry = journal.willCreate(destination);
          return id -> {
            assertThatThrownBy(job::abort).hasMessageContaining("planned fault");
            entry.created(id);
          };
        };
    try (MultipartUploads uploads =
        new MultipartUploads(
            store,
            racing,
            job.id(),
            "a",
            UploadSettings.from(new Configuration(false), "bucket"))) {
      UploadStream stream = uploads.open(job.path("0"));
      assertThatThrownBy(stream::close).hasMessageContaining("has ended already");
    }
    assertThat(store.pendingKeys()).isEmpty();
  }

  private void announceAndCreate(String name) throws IOException {
    job.directory().journal("a").willCreate(job.path(name));
    store.createUpload(job.key(name), Map.of());
  }

  private List<java.nio.file.Path> journalFiles() throws IOException {
    try (Stream<java.nio.file.Path> files = Files.list(workDir.resolve("jobs/job-1/journal/a"))) {
      return files.filter(file -> !file.getFileName().toString().startsWith(".")).toList();
    }
  }
}
