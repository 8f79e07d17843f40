package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private CommitLog meeting() {
    CyclicBarrier together = new CyclicBarrier(INTERRUPTED);
    return CommitLog.inBucket(path -> new Meeting(together), TestJob.LOG);
  }

  private void assertThatAllAreSuperseded() throws IOException {
    assertThat(job.log().tail().open()).isEmpty();
    assertThat(store.keys().stream().filter(key -> key.contains(".ended.superseded.")))
        .hasSize(INTERRUPTED);
  }

  @Test
  void itNotesAllThatItHasSupersededAtOnce() throws IOException {
    interrupted();
    CommitLog log = meeting();
    TestJob by = job("overwrite").withThreads(INTERRUPTED).task("a", "day=1/0");
    CommitReport report =
        new JobCommit(
                store, by.directory(), log, by.settings().sleeping(this::pass), CommitProgress.NONE)
            .run(
                new CommitRequest(
                    by.outputJob(),
                    Manifests.of(by.chosen()),
                    Overwrite.directory(TestJob.TABLE),
                    Optional.of(Instant.now())));
    report.open().orElseThrow().finish();
    assertThatAllAreSuperseded();
  }

  @Test
  void soDoesAStatementOfTheEngine() throws IOException {
    interrupted();
    List<Path> table = List.of(TestJob.TABLE);
    EngineStatement.begin(
            store, meeting(), job.withThreads(INTERRUPTED).settings().sleeping(this::pass), table)
        .end(
            new OutputJob(
                "statement",
                "TRUNCATE db.t",
                TestJob.TABLE,
                table,
                false,
                Optional.empty(),
                Map.of()),
            table,
            since -> true);
    assertThatAllAreSuperseded();
  }

  /** The markers wait for one another. */
  private final class Meeting extends ForwardingStore {
    private final CyclicBarrier together;

    Meeting(CyclicBarrier together) {
      super(OpenCommitTest.this.store);
      this.together = together;
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
