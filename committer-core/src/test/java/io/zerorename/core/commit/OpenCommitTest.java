package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** How a commit notes that it is at its end. */
class OpenCommitTest extends TimedCommits {
  private static final int INTERRUPTED = 3;

  private void interrupted() throws IOException {
    for (int i = 0; i < INTERRUPTED; i++) {
      job("broken-" + i).task("a", "day=1/" + i).decideAndDie(Overwrite.none());
    }
  }

  private void assertThatAllAreSuperseded() throws IOException {
    assertThat(job.log().tail().open()).isEmpty();
    assertThat(store.keys().stream().filter(key -> key.contains(".ended.superseded.")))
        .hasSize(INTERRUPTED);
  }

  @Test
  void itNotesAllThatItHasSupersededAtOnce() throws IOException {
    interrupted();
    ObjectStore meeting = new Meeting();
    job("overwrite")
        .through(path -> meeting)
        .withThreads(INTERRUPTED)
        .sleeping(this::pass)
        .task("a", "day=1/0")
        .overwrite(TestJob.TABLE);
    assertThatAllAreSuperseded();
  }

  @Test
  void soDoesAStatementOfTheEngine() throws IOException {
    interrupted();
    List<Path> table = List.of(TestJob.TABLE);
    ObjectStore meeting = new Meeting();
    CommitLog log = new CommitLog(path -> meeting, TestJob.LOG);
    new EngineStatement(
            store, log, Waits.in(this::pass, job.withThreads(INTERRUPTED).settings()), table)
        .commit(new OutputJob("statement", "TRUNCATE db.t", table), table, since -> true);
    assertThatAllAreSuperseded();
  }

  /** The markers wait for one another. */
  private final class Meeting extends ForwardingStore {
    private final CyclicBarrier together = new CyclicBarrier(INTERRUPTED);

    Meeting() {
      super(OpenCommitTest.this.store);
    }

    @Override
    public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
        throws IOException {
      if (key.contains(".ended.superseded.")) {
        try {
          together.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
          throw new IOException("they come one after the other", e);
        }
      }
      return super.putObjectIfAbsent(key, body, metadata);
    }
  }
}
