package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.DelayedStore;
import io.zerorename.testing.Published;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How much one table takes. Times are published, and not asserted; counts are. */
@Tag("thorough")
class LimitsTest extends OpenCommits {
  private static final int MILLIS = 30;
  private static final List<Integer> WRITERS = List.of(1, 8, 64);
  private static final Duration MEASURED = Duration.ofSeconds(10);
  private static final Duration WARM_UP = Duration.ofSeconds(3);
  private static final int FILES = Integer.getInteger("limits.files", 100_000);
  private static final int THREADS = 64;
  private static final int DAYS = 100;
  private static final int FILES_PER_TASK = 1_000;

  private TestJob job(ObjectStores stores, String id) throws IOException {
    return new TestJob(stores, FileSystem.getLocal(new Configuration()), workDir, id);
  }

  /** INSERTs of one small file each, each into a day of its writer. */
  private int commit(ObjectStores stores, String writer, Duration time) throws IOException {
    long end = System.nanoTime() + time.toNanos();
    int commits = 0;
    while (System.nanoTime() < end) {
      job(stores, writer + "-" + commits).smallTask("a", "day=" + writer + "/" + commits).insert();
      commits++;
    }
    return commits;
  }

  private double commitsPerSecond(ObjectStores stores, int writers) throws Exception {
    commit(stores, "first-of-" + writers, WARM_UP);
    long begun = System.nanoTime();
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      String name = "writer-" + writers + "-" + i;
      tasks.add(() -> commit(stores, name, MEASURED));
    }
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    int commits = 0;
    try {
      for (Future<Integer> each : threads.invokeAll(tasks)) {
        commits += each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(CommitLog.inBucket(stores, TestJob.LOG).tail().open()).isEmpty();
    return commits / ((System.nanoTime() - begun) / 1e9);
  }

  @Test
  void commitsPerSecondWithALatency() throws Exception {
    ObjectStore slow = DelayedStore.of(store, MILLIS);
    for (int writers : WRITERS) {
      Published.as(
          "commits-" + MILLIS + "-ms-" + writers + "-writers",
          String.format(Locale.ROOT, "%.1f a second", commitsPerSecond(path -> slow, writers)));
    }
  }

  /** One server for all: Hadoop keeps the file system of a bucket. */
  @Test
  void commitsPerSecondAtAServer() throws Exception {
    try (EmbeddedS3Server server = EmbeddedS3Server.start()) {
      server.createBucket("bucket");
      Configuration conf = new Configuration();
      server.hadoopSettings().forEach(conf::set);
      try (S3AObjectStores stores = new S3AObjectStores(conf)) {
        for (int writers : WRITERS) {
          Published.as(
              "commits-server-" + writers + "-writers",
              String.format(Locale.ROOT, "%.1f a second", commitsPerSecond(stores, writers)));
        }
      }
    }
  }

  /** {@code -Dlimits.files=1000000 -Dtest.heap=4g} for more of them. */
  @Test
  void anOverwriteBehindACrashedInsertCompletesItsFilesAndDeletesThem() throws Exception {
    TestJob crashed = job(store, "crashed");
    for (int first = 0; first < FILES; first += FILES_PER_TASK) {
      crashed.chosen(uploads(crashed, first));
    }
    crashed.decideAndDie(Overwrite.none());
    ObjectStore slow = DelayedStore.of(store, MILLIS);
    TestJob overwrite = job(path -> slow, "overwrite").withThreads(THREADS).task("a", "day=0/0");
    store.resetCounts();

    long begun = System.nanoTime();
    overwrite.overwrite(TestJob.TABLE);
    double seconds = (System.nanoTime() - begun) / 1e9;

    assertThat(data()).containsExactly(overwrite.key("day=0/0"));
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(store.requests())
        .containsEntry(RequestType.COMPLETE_UPLOAD, FILES + 1L)
        .doesNotContainKey(RequestType.HEAD);
    Published.as(
        "overwrite-behind-" + FILES + "-files",
        String.format(
            Locale.ROOT,
            "%.1f s with %d threads at %d ms, %s",
            seconds,
            THREADS,
            MILLIS,
            store.requests()));
  }

  /** Sent by the test itself, so that no attempt is noted for each. */
  private TaskManifest uploads(TestJob of, int first) throws IOException {
    List<PendingUpload> uploads = new ArrayList<>();
    for (int number = first; number < Math.min(FILES, first + FILES_PER_TASK); number++) {
      Path file = of.path("day=" + number % DAYS + "/" + number);
      String key = file.toUri().getPath().substring(1);
      String identity = UUID.randomUUID().toString();
      String upload = store.createUpload(key, Map.of(OutputFile.IDENTITY_METADATA, identity));
      uploads.add(
          new PendingUpload(
              file,
              upload,
              List.of(store.uploadPart(key, upload, 1, RepeatableBody.of(new byte[1]))),
              of.id(),
              "attempt_" + first,
              identity));
    }
    return TaskManifest.of(of.id(), "attempt_" + first, uploads);
  }
}
