package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.s3server.BucketContents;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** A job that overwrites two partitions through S3A, and what they may hold on the way. */
final class OverwritingJob implements Closeable {
  private static final String TABLE = "warehouse/t/";
  private static final String ID = "job-1";
  private static final Set<String> OLD =
      Set.of(TABLE + "day=1/old1", TABLE + "day=1/old2", TABLE + "day=2/old");
  private static final List<String> FILES = List.of("day=1/0", "day=1/1", "day=2/0");

  private final BucketContents contents;
  private final Configuration configuration;
  private S3AObjectStores stores;
  private final TestJob job;
  private final Set<String> allNew;

  /** Where the job keeps its log. */
  @FunctionalInterface
  interface Opener {
    /** In the same bucket. */
    Opener BESIDE = TestJob::new;

    /** Where none of the settings matters, and no request counts. */
    static Opener elsewhere() {
      InMemoryObjectStore logs = new InMemoryObjectStore("logs");
      return (stores, fileSystem, workDir, id) ->
          TestJob.withLogIn(logs, stores, fileSystem, workDir, id);
    }

    TestJob open(ObjectStores stores, FileSystem fileSystem, java.nio.file.Path workDir, String id)
        throws IOException;
  }

  /**
   * Writes the old files.
   *
   * @param contents the bucket {@code bucket}
   * @param settings the way to it, and what else S3A shall do
   */
  OverwritingJob(
      Opener opener,
      BucketContents contents,
      FileSystem fileSystem,
      java.nio.file.Path workDir,
      Map<String, String> settings)
      throws IOException {
    this.contents = contents;
    OLD.forEach(key -> contents.write(key, key.getBytes(UTF_8)));
    configuration = new Configuration();
    settings.forEach(configuration::set);
    configuration.setBoolean("fs.s3a.impl.disable.cache", true);
    this.stores = new S3AObjectStores(configuration);
    this.job = opener.open(path -> stores().forPath(path), fileSystem, workDir, ID);
    this.allNew = Set.copyOf(FILES.stream().map(job::key).toList());
  }

  TestJob job() {
    return job;
  }

  /** Goes on as another process would, over connections of its own. */
  void restart() throws IOException {
    stores.close();
    stores = new S3AObjectStores(configuration);
  }

  S3AObjectStores stores() {
    return stores;
  }

  void runTasks() throws IOException {
    job.task("a", FILES.get(0), FILES.get(1)).task("b", FILES.get(2));
  }

  void commit() throws IOException {
    job.overwrite();
  }

  /** Aborts, after which nothing of the job may be left. */
  void abort() throws IOException {
    job.abort();
    assertAllIsOld();
    assertNothingIsPending();
  }

  void assertAllIsOld() {
    assertThat(keys()).isEqualTo(OLD);
    assertContentIsRight();
  }

  void assertAllIsNew() {
    assertThat(keys()).isEqualTo(allNew);
    assertContentIsRight();
  }

  void assertNothingIsPending() {
    assertThat(contents.pendingUploads("")).isEmpty();
  }

  void assertOneUploadOfTheFirstFileIsPending() {
    assertThat(contents.pendingUploads(""))
        .extracting(BucketContents.PendingUpload::key)
        .containsExactly(job.key(FILES.get(0)));
  }

  void assertOldIsThereUnlessAllIsNew() {
    Set<String> there = keys();
    if (!there.containsAll(allNew)) {
      assertThat(there).containsAll(OLD);
    }
    there.removeAll(OLD);
    assertThat(allNew).containsAll(there);
    assertContentIsRight();
  }

  /** Old files hold their keys, new ones the names that their tasks gave them. */
  private void assertContentIsRight() {
    for (String key : keys()) {
      String expected =
          OLD.contains(key)
              ? key
              : FILES.stream().filter(file -> job.key(file).equals(key)).findFirst().orElseThrow();
      assertThat(contents.read(key)).asString(UTF_8).isEqualTo(expected);
    }
  }

  private Set<String> keys() {
    return new TreeSet<>(contents.objects(TABLE).keySet());
  }

  /** Leaves nothing in the bucket. */
  @Override
  public void close() throws IOException {
    stores.close();
    contents.clear("");
  }
}
