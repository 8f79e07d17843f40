package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import io.zerorename.testing.RetriedStores;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commits that other processes have left open at a table, and their recovery. It is known how long
 * they wait: that passes the store's time.
 */
public abstract class TimedCommits {
  /** What an operator says who knows that the process is dead. */
  public static final Duration NOW = Duration.ZERO;

  public static final String T = "warehouse/t/";

  @TempDir java.nio.file.Path workDir;

  public final List<CommitPlan> ended = new ArrayList<>();
  public InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  public final ObjectStores stores = new RetriedStores(path -> store.forPath(path));
  public TestJob job;

  /** How long recoveries and jobs have waited. */
  public Duration waited = Duration.ZERO;

  @BeforeEach
  public void newJob() throws IOException {
    job = job("job-1");
  }

  public TestJob job(String id) throws IOException {
    return new TestJob(store, FileSystem.getLocal(new Configuration(false)), workDir, id);
  }

  /** Remembers what it ended. */
  public class Engine implements JobEngine {
    @Override
    public boolean mayWrite(Path root) {
      return root.equals(TestJob.TABLE);
    }

    @Override
    public boolean afterFiles(OpenCommit commit) throws IOException {
      // As engines do that register partitions.
      commit.replacedLater();
      ended.add(commit.plan());
      return true;
    }
  }

  /** Registers partitions. */
  public class OfHive extends Engine {
    @Override
    public boolean hasMetastore() {
      return true;
    }
  }

  public Recovery recovery() {
    return recovery(new Engine());
  }

  public Recovery recovery(JobEngine engine) {
    return new Recovery(
        stores, new CommitLog(stores, TestJob.LOG), Waits.in(this::pass, job.settings()), engine);
  }

  /** How far the entry of a job is. */
  public EntryState state(String jobId) throws IOException {
    LogTail tail = job.log().tailDownTo(1);
    return tail.state(job.log().find(jobId, tail).orElseThrow().number());
  }

  /** The files that the markers of an entry call lost. */
  public List<Path> lost(long number) throws IOException {
    return job.log().lost(number, job.log().tailDownTo(number));
  }

  public List<String> data() {
    return store.keys().stream().filter(key -> key.startsWith(T)).toList();
  }

  public void pass(Duration time, String why) {
    waited = waited.plus(time);
    store.pass(time);
  }

  public Recovered recover() throws IOException {
    return recovery().run(NOW).stream().reduce((a, b) -> b).orElseThrow();
  }

  public CommitReport insert(TestJob by) throws IOException {
    return commit(by, Overwrite.none());
  }

  /** Replaces all of the table. */
  public CommitReport overwrite(TestJob by) throws IOException {
    return commit(by, Overwrite.directory(TestJob.TABLE));
  }

  public CommitReport commit(TestJob by, Overwrite overwrite) throws IOException {
    return commit(by, overwrite, this::pass);
  }

  public CommitReport commit(TestJob by, Overwrite overwrite, Clock sleep) throws IOException {
    return by.sleeping(sleep).commit(overwrite, () -> {});
  }

  /** What the first attempt that is chosen has written. */
  public static PendingUpload upload(TestJob of, int index) {
    return of.chosen().get(0).uploads().get(index);
  }

  /** As any process does that knows of it. */
  public PendingUpload complete(PendingUpload upload) throws IOException {
    store.completeUpload(upload.key(), upload.uploadId(), upload.parts());
    return upload;
  }

  /** Takes a store that forgets what it has completed, as MinIO does. */
  public void onAStoreThatCompletesOnce() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    newJob();
  }

  /** The store forgets an upload. */
  public PendingUpload vanish(TestJob of, int index) {
    PendingUpload upload = upload(of, index);
    store.loseUpload(upload.key(), upload.uploadId());
    return upload;
  }
}
