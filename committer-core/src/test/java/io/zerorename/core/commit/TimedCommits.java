package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Commits of which it is known how long they wait: that passes the store's time. */
public abstract class TimedCommits extends OpenCommits {
  /** What an operator says who knows that the process is dead. */
  public static final Duration NOW = Duration.ZERO;

  /** How long recoveries and jobs have waited. */
  public Duration waited = Duration.ZERO;

  private final List<PendingUpload> vanishing = new ArrayList<>();

  public void pass(Duration time, String why) {
    waited = waited.plus(time);
    store.pass(time);
  }

  @Override
  public Recovery recovery(JobEngine engine) {
    return new Recovery(
        stores,
        CommitLog.inBucket(stores, TestJob.LOG),
        job.settings().sleeping(this::pass),
        engine);
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

  public CommitReport commit(TestJob by, Overwrite overwrite, Pauses.Sleep sleep)
      throws IOException {
    return by.sleeping(sleep).commit(overwrite, () -> vanishing.forEach(this::lose));
  }

  /** The store forgets an upload. */
  public PendingUpload vanish(TestJob of, int index) {
    PendingUpload upload = of.chosen().get(0).uploads().get(index);
    lose(upload);
    return upload;
  }

  /** The store forgets it once a commit has seen it, right before the decision. */
  public PendingUpload vanishWhenSeen(TestJob of, int index) {
    PendingUpload upload = of.chosen().get(0).uploads().get(index);
    vanishing.add(upload);
    return upload;
  }

  private void lose(PendingUpload upload) {
    store.loseUpload(upload.key(), upload.uploadId());
  }
}
