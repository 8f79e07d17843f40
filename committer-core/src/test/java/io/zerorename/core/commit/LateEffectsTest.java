package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.testing.Decisions;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests that take effect long after they were sent, and processes that sleep before they send
 * them: no file of an earlier entry appears where a later one has ended.
 */
@Timeout(600)
class LateEffectsTest extends TimedCommits {
  private static final Duration GRACE = Duration.ofMinutes(5);

  @BeforeEach
  void thatCompletesAnUploadOnce() throws IOException {
    onAStoreThatCompletesOnce();
  }

  private TestJob settling(String id) throws IOException {
    return job(id).settlingFor(Duration.ofMinutes(5));
  }

  @Test
  void anOverwriteWaitsWhereARecoveryHasLeftFilesToOneThatHasNotEnded() throws IOException {
    TestJob first = settling("first").task("a", "day=1/0");
    first.decideAndDie(Overwrite.none());
    settling("second").task("a", "day=1/7").decideAndDie(Overwrite.directoriesOfFiles());
    settling("third").task("a", "day=1/8").decideAndDie(Overwrite.directoriesOfFiles());
    job = first;
    store.beginCompleting(first.key("day=1/0"));
    recovery().run(GRACE);
    waited = Duration.ZERO;

    TestJob last = settling("last").task("a", "day=1/9");
    commit(last, Overwrite.directoriesOfFiles());

    assertThat(waited).isGreaterThan(GRACE.minusSeconds(10));
    assertThat(data()).containsExactly(last.key("day=1/9"));
  }

  @Test
  void whatAnOverwriteHasListedIsNotCutBeforeItCanDecide() throws IOException {
    job("old").task("a", "day=1/0").decideAndDie(Overwrite.none());
    // The highest entry stays in any case.
    insert(job("higher").task("a", "day=2/0"));
    store.pass(Duration.ofDays(8));
    TestJob overwrite = job("overwrite").task("a", "day=1/7");
    LogTail listed = overwrite.log().tail();
    LogEntry draft = overwrite.draft(Overwrite.directoriesOfFiles(), listed);
    recovery().run(NOW);
    store.pass(Duration.ofMinutes(6));

    assertThat(overwrite.log().cut(CoreKeys.FEWEST_LOG_DAYS)).isZero();

    Decisions.decide(job.log(), draft, listed);
    recovery().run(NOW);
    assertThat(data()).containsExactly(overwrite.key("day=1/7"), T + "day=2/0.higher");
  }
}
