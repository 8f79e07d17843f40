package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.manifest.ManifestFiles;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a commit makes visible, what it replaces, and what it costs, where nothing fails. */
class JobCommitTest {
  private static final String T = "warehouse/t/";

  @TempDir java.nio.file.Path workDir;

  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");
  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private BreakableFileSystem fileSystem;
  private TestJob job;

  @BeforeEach
  void newJob() throws IOException {
    fileSystem = new BreakableFileSystem();
    job = job("job-1");
  }

  private TestJob job(String id) throws IOException {
    return TestJob.withLogIn(logs, store, fileSystem, workDir, id);
  }

  @Test
  void nothingIsVisibleBeforeTheDecision() throws IOException {
    job.task("a", "day=1/0", "day=2/0");
    List<Boolean> seen = new ArrayList<>();
    job.commit(
        Overwrite.none(),
        (workers, action) -> {
          seen.add(store.keys().isEmpty() && job.log().tail().open().isEmpty() && !job.isDecided());
          Manifests.of(job.chosen()).forEach(workers, action);
        });
    assertThat(seen).containsExactly(true);
    assertThat(store.keys()).containsExactly(job.key("day=1/0"), job.key("day=2/0"));
  }

  @Test
  void exactlyTheFilesOfTheChosenAttemptsBecomeVisible() throws IOException {
    job.task("task_0_attempt_1", "day=1/0_1").losingTask("task_0_attempt_0", "day=1/0_0");
    job.task("task_1_attempt_0", "day=2/1_0");
    CommitReport report = job.insert();
    assertThat(store.keys()).containsExactly(job.key("day=1/0_1"), job.key("day=2/1_0"));
    assertThat(store.content(job.key("day=1/0_1"))).asString(UTF_8).isEqualTo("day=1/0_1");
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(report.files()).isEqualTo(2);
    assertThat(report.bytes()).isEqualTo(18);
    assertThat(report.directories()).isEqualTo(2);
    assertThat(report.aborted()).isEqualTo(1);
    assertThat(report.replaced()).isZero();
    assertThat(report.stages().keySet()).containsExactly(CommitStage.values());
  }

  @Test
  void nFilesCostNCompletesAndOneListingOfUploads() throws IOException {
    job.task("a", names("day=1/", 20)).task("b", names("day=2/", 30)).withThreads(8);
    store.resetCounts();
    CommitReport report = job.insert();
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.LIST_UPLOADS, 1L, RequestType.COMPLETE_UPLOAD, 50L));
    assertThat(report.files()).isEqualTo(50);
  }

  @Test
  void aWholeJobCostsThreeRequestsPerFileOfOnePart() throws IOException {
    job.task("a", names("day=1/", 10)).insert();
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.CREATE_UPLOAD, 10L,
                RequestType.UPLOAD_PART, 10L,
                RequestType.LIST_UPLOADS, 1L,
                RequestType.COMPLETE_UPLOAD, 10L));
  }

  @Test
  void anOverwriteListsLargeDirectoriesEachAndDeletesAThousandOldFilesAtOnce() throws IOException {
    job.task("a", "day=1/0", "day=2/0", "day=3/0").withThreads(4);
    for (int i = 0; i < 1001; i++) {
      store.plant(T + "day=1/old" + i, new byte[1]);
    }
    store.plant(T + "day=2/old", new byte[1]);
    store.resetCounts();
    CommitReport report = job.overwrite();
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.LIST_UPLOADS, 1L,
                RequestType.COMPLETE_UPLOAD, 3L,
                // One shows that they cannot be listed together; day=1 has two pages.
                RequestType.LIST, 1L + 4L,
                RequestType.BULK_DELETE, 2L));
    assertThat(report.replaced()).isEqualTo(1002);
    assertThat(store.keys())
        .containsExactly(job.key("day=1/0"), job.key("day=2/0"), job.key("day=3/0"));
  }

  @Test
  void aThrottledDeletionIsSentAgain() throws IOException {
    job.task("a", "day=1/0");
    store.plant(T + "day=1/old", new byte[1]);
    store.faults().fail(RequestType.BULK_DELETE, 1, Moment.BEFORE_EFFECT, Kind.THROTTLED);
    store.resetCounts();
    job.overwrite();
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.LIST_UPLOADS, 1L,
                RequestType.COMPLETE_UPLOAD, 1L,
                RequestType.LIST, 1L,
                RequestType.BULK_DELETE, 2L));
    assertThat(store.keys()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void anOverwriteTouchesOnlyTheDirectoriesOfItsFiles() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    store.plant(T + "day=2/old", new byte[1]);
    store.plant(T + "day=10/old", new byte[1]);
    job.task("a", "day=1/0").overwrite();
    assertThat(store.keys())
        .containsExactlyInAnyOrder(job.key("day=1/0"), T + "day=2/old", T + "day=10/old");
  }

  @Test
  void anOverwriteReplacesSubdirectoriesButNeitherHiddenFilesNorTheMarker() throws IOException {
    store.plant(T, new byte[0]);
    store.plant(T + "old", new byte[1]);
    store.plant(T + "sub/old", new byte[1]);
    store.plant(T + "sub/_hidden", new byte[1]);
    store.plant(T + "_SUCCESS", new byte[1]);
    store.plant(T + ".staging/x", new byte[1]);
    job.task("a", "0").overwrite(TestJob.TABLE);
    assertThat(store.keys())
        .containsExactlyInAnyOrder(T, T + "_SUCCESS", T + ".staging/x", job.key("0"));
  }

  @Test
  void anEmptyOverwriteLeavesAMarkerSoThatTheDirectoryStillExists() throws IOException {
    store.plant(T + "old", new byte[1]);
    store.resetCounts();
    job.overwrite(TestJob.TABLE);
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.BULK_DELETE, 1L, RequestType.PUT, 1L));
    assertThat(store.keys()).containsExactly(T);
    assertThat(store.content(T)).isEmpty();
  }

  @Test
  void noMarkerIsWrittenWhereAnObjectStays() throws IOException {
    store.plant(T, new byte[0]);
    store.plant(T + "old", new byte[1]);
    job.overwrite(TestJob.TABLE);
    assertThat(store.keys()).containsExactly(T);
    assertThat(store.requests()).doesNotContainKey(RequestType.PUT);

    TestJob other = job("job-2");
    store.plant(T + "_kept", new byte[1]);
    store.deleteObjects(List.of(T));
    other.overwrite(TestJob.TABLE);
    assertThat(store.keys()).containsExactly(T + "_kept");
  }

  @Test
  void directoriesInOneAnotherAreReplacedOnceAndEachStillExists() throws IOException {
    Path outer = new Path(TestJob.TABLE, "a");
    Path inner = new Path(outer, "b");
    Path hollow = new Path(outer, "c");
    Set<Path> directories = new LinkedHashSet<>(List.of(outer, inner, hollow));
    store.plant(T + "a/old", new byte[1]);
    store.plant(T + "a/b/", new byte[0]);
    store.plant(T + "a/b/old", new byte[1]);
    store.plant(T + "a/c/_old", new byte[1]);
    CommitReport report = job.commit(uploads -> directories);
    assertThat(store.keys()).containsExactly(T + "a/b/", T + "a/c/");
    assertThat(report.replaced()).isEqualTo(3);
  }

  @Test
  void anObjectOfTheSameKeyAsANewFileIsReplacedByItAndNotDeleted() throws IOException {
    job.task("a", "day=1/0");
    store.plant(job.key("day=1/0"), "old".getBytes(UTF_8));
    CommitReport report = job.overwrite();
    assertThat(store.content(job.key("day=1/0"))).asString(UTF_8).isEqualTo("day=1/0");
    assertThat(report.replaced()).isZero();
  }

  @Test
  void filesAddedByOthersMeanwhileSurviveAnOverwrite() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0");
    // Another job's file appears when the plan is made and nothing is carried out yet.
    fileSystem.beforeRename(() -> store.plant(T + "day=1/others", new byte[1]));
    job.overwrite();
    assertThat(store.keys()).containsExactlyInAnyOrder(job.key("day=1/0"), T + "day=1/others");
  }

  @Test
  void twoJobsIntoOneDirectoryDoNotTouchEachOther() throws IOException {
    TestJob other = job("job-2");
    job.task("a", "day=1/0").losingTask("b", "day=1/1");
    other.task("a", "day=1/0").losingTask("b", "day=1/1");
    job.insert();
    assertThat(store.keys()).containsExactly(job.key("day=1/0"));
    assertThat(store.pendingKeys()).containsExactly(other.key("day=1/0"), other.key("day=1/1"));
    other.abort();
    assertThat(store.keys()).containsExactly(job.key("day=1/0"));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aJobWithoutFilesCommitsAtNoCost() throws IOException {
    CommitReport report = job.insert();
    assertThat(report.files()).isZero();
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void twoUploadsToOneKeyFailBeforeTheDecision() throws IOException {
    job.task("attempt_0", "day=1/0").task("attempt_1", "day=1/0");
    assertThatThrownBy(job::insert)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("attempt_0")
        .hasMessageContaining("attempt_1")
        .hasMessageContaining(job.path("day=1/0").toString());
    assertThat(store.keys()).isEmpty();
    assertThat(job.isDecided()).isFalse();
    assertThat(job.log().tail().open()).isEmpty();
  }

  @Test
  void aDestinationOutsideTheRootsFailsBeforeTheDecision() throws IOException {
    for (String elsewhere : List.of("../other/0", "../t2/0", "../../top")) {
      TestJob outside = job("job-" + elsewhere.hashCode()).task("a", elsewhere);
      assertThatThrownBy(outside::insert)
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("not below");
    }
    assertThatThrownBy(() -> job.overwrite(TestJob.TABLE.getParent()))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("not below");
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void aManifestOfAnotherJobFailsBeforeTheDecision() throws IOException {
    TestJob other = job("job-2").task("a", "day=1/0");
    assertThatThrownBy(() -> job.commit(Overwrite.none(), Manifests.of(other.chosen())))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("job-2")
        .hasMessageContaining("Nothing of it is visible");
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void aBrokenManifestSourceIsACleanFailure() {
    assertThatThrownBy(
            () ->
                job.commit(
                    Overwrite.none(),
                    (workers, action) -> {
                      throw new IllegalStateException("a bug");
                    }))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("a bug");
  }

  @Test
  void aFinishedCommitThatRunsAgainChangesNothing() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0");
    CommitReport first = job.overwrite();
    // Meanwhile somebody deletes the new file and uses the old name again.
    store.deleteObjects(List.of(job.key("day=1/0")));
    store.plant(T + "day=1/old", new byte[2]);
    store.resetCounts();
    CommitReport second = job.overwrite();
    assertThat(second.files()).isEqualTo(first.files());
    assertThat(store.keys()).containsExactly(T + "day=1/old");
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void manyManifestFilesInATreeAreAllRead() throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration(false));
    Path tree = new Path(new Path(workDir.toUri()), "-ext-10000");
    job.task("a", names("day=1/", 40)).withThreads(4);
    for (TaskManifest manifest : job.chosen()) {
      for (int i = 0; i < manifest.uploads().size(); i++) {
        ManifestFiles.write(
            local,
            new Path(tree, "day=1/" + i),
            TaskManifest.of(job.id(), "a", List.of(manifest.uploads().get(i))));
      }
    }
    CommitReport report =
        job.commit(Overwrite.none(), ManifestSource.filesBelow(local, List.of(tree)));
    assertThat(report.files()).isEqualTo(40);
    assertThat(store.keys()).hasSize(40);
  }

  @Test
  @Timeout(300)
  void aPartitionsManifestIsReadWhileOthersAreListed() throws IOException {
    Path tree = new Path(new Path(workDir.toUri()), "-ext-10000");
    job.task("a", "day=1/0", "day=2/0").withThreads(2);
    for (PendingUpload upload : job.chosen().get(0).uploads()) {
      ManifestFiles.write(
          fileSystem,
          new Path(tree, upload.destination().getParent().getName() + "/0"),
          TaskManifest.of(job.id(), "a", List.of(upload)));
    }
    CountDownLatch read = new CountDownLatch(1);
    FileSystem slow =
        new FilterFileSystem(fileSystem) {
          @Override
          public FileStatus[] listStatus(Path directory) throws IOException {
            if (directory.getName().equals("day=2")) {
              try {
                read.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
            }
            return super.listStatus(directory);
          }
        };
    job.commit(
        Overwrite.none(),
        (workers, action) ->
            ManifestSource.filesBelow(slow, List.of(tree))
                .forEach(
                    workers,
                    manifest -> {
                      action.on(manifest);
                      read.countDown();
                    }));
    assertThat(store.keys()).containsExactly(job.key("day=1/0"), job.key("day=2/0"));
  }

  @Test
  void aFileThatIsNoManifestFailsTheCommit() throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration(false));
    Path tree = new Path(new Path(workDir.toUri()), "-ext-10000");
    local.create(new Path(tree, "000000_0")).close();
    assertThatThrownBy(
            () -> job.commit(Overwrite.none(), ManifestSource.filesBelow(local, List.of(tree))))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("000000_0");
  }

  private static String[] names(String directory, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> directory + String.format("%05d", i))
        .toArray(String[]::new);
  }
}
