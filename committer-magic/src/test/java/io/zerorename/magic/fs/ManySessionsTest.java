package io.zerorename.magic.fs;

import static io.zerorename.magic.fs.TestBucket.path;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM may run thousands of task attempts (reused Tez containers, uber jobs). */
class ManySessionsTest {

  private static final int SESSIONS = 2_000;

  @Test
  void jvmDoesNotGrowWithItsSessions(@TempDir File directory) throws Exception {
    TestBucket bucket = new TestBucket(directory);
    runSession(bucket, 0);
    int cached = cachedFileSystems();
    int threads = Thread.activeCount();

    List<WeakReference<FileSystem>> instances = new ArrayList<>();
    for (int i = 1; i <= SESSIONS; i++) {
      instances.add(runSession(bucket, i));
      assertThat(cachedFileSystems()).as("cached after session %d", i).isEqualTo(cached);
    }

    Await.until("those of the sessions end", () -> Thread.activeCount() <= threads);
    assertThat(instances).hasSize(SESSIONS);
    assertThat(bucket.store().pendingKeys()).isEmpty();
    // Until the heap is exhausted (the test's is bounded) or all are collected.
    for (int i = 0; i < 10 && reachable(instances) > 0; i++) {
      System.gc();
    }
    assertThat(reachable(instances)).isZero();
  }

  private static WeakReference<FileSystem> runSession(TestBucket bucket, int number)
      throws IOException {
    try (PendingSession session = bucket.open("attempt-" + number)) {
      Path file = session.pathOf(path("t/f" + number));
      FileSystem fileSystem = file.getFileSystem(bucket.conf());
      OutputStream out = fileSystem.create(file);
      out.write(number);
      // A few write to the end; the files on local disk are what takes long there.
      if (number % 40 == 0) {
        out.close();
        assertThat(session.files()).hasSize(1);
      }
      session.abort();
      return new WeakReference<>(fileSystem);
    }
  }

  private static long reachable(List<WeakReference<FileSystem>> instances) {
    return instances.stream().filter(instance -> instance.get() != null).count();
  }

  /** Hadoop does not tell how many it has cached. */
  private static int cachedFileSystems() throws ReflectiveOperationException {
    Field cache = FileSystem.class.getDeclaredField("CACHE");
    cache.setAccessible(true);
    Field map = cache.getType().getDeclaredField("map");
    map.setAccessible(true);
    return ((Map<?, ?>) map.get(cache.get(null))).size();
  }
}
