package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
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
  private TestJob job;

  @BeforeEach
  void newJob() throws IOException {
    job = job("job-1");
  }

  private TestJob job(String id) throws IOException {
    return TestJob.withLogIn(logs, store, workDir, id);
  }

  @Test
  void exactlyTheFilesOfTheChosenAttemptsBecomeVisible() throws IOException {
    job.task("task_0_attempt_1", "day=1/0_1").losingTask("task_0_attempt_0", "day=1/0_0");
    job.task("task_1_attempt_0", "day=2/1_0");
    CommitReport report = job.insert();
    assertThat(store.keys()).containsExactly(job.key("day=1/0_1"), job.key("day=2/1_0"));
    assertThat(store.content(job.key("day=1/0_1"))).asString(UTF_8).isEqualTo("day=1/0_1");
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(report.made().files()).isEqualTo(2);
    assertThat(report.made().bytes()).isEqualTo(18);
    assertThat(report.aborted()).isEqualTo(1);
    assertThat(report.made().replaced()).isZero();
    assertThat(report.stages().keySet()).containsExactly(CommitStage.values());
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
    assertThat(report.made().replaced()).isEqualTo(3);
  }

  @Test
  void anObjectOfTheSameKeyAsANewFileIsReplacedByItAndNotDeleted() throws IOException {
    job.task("a", "day=1/0");
    store.plant(job.key("day=1/0"), "old".getBytes(UTF_8));
    CommitReport report = job.overwrite();
    assertThat(store.content(job.key("day=1/0"))).asString(UTF_8).isEqualTo("day=1/0");
    assertThat(report.made().replaced()).isZero();
  }

  @Test
  void twoUploadsToOneKeyFailBeforeTheDecision() throws IOException {
    job.task("attempt_0", "day=1/0").task("attempt_1", "day=1/0");
    assertThatThrownBy(job::insert)
        .isInstanceOf(CommitFailedException.class)
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
  @Timeout(300)
  void aPartitionsManifestIsReadWhileOthersAreListed() throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration(false));
    Path tree = new Path(new Path(workDir.toUri()), "-ext-10000");
    job.task("a", "day=1/0", "day=2/0").withThreads(2);
    for (PendingUpload upload : job.chosen().get(0).uploads()) {
      TaskManifest.of(job.id(), "a", List.of(upload))
          .write(local, new Path(tree, upload.destination().getParent().getName() + "/0"));
    }
    CountDownLatch read = new CountDownLatch(1);
    FileSystem slow =
        new FilterFileSystem(local) {
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
                      action.accept(manifest);
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
}
