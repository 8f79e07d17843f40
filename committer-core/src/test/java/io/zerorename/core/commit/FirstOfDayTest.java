package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The first commit of a day deletes old entries of its log, and no other does. */
class FirstOfDayTest extends TimedCommits {
  private CommitReport commit(String id, String file) throws IOException {
    return insert(job(id).task("a", file));
  }

  @Test
  void onlyTheFirstCommitOfADayCutsTheLog() throws IOException {
    CommitReport first = commit("job-a", "day=1/a");
    assertThat(first.isFirstOfDay()).as("nothing can be old").isFalse();
    store.pass(Duration.ofDays(8));
    CommitReport second = commit("job-b", "day=1/b");
    CommitReport third = commit("job-c", "day=1/c");
    assertThat(second.isFirstOfDay()).isTrue();
    assertThat(third.isFirstOfDay()).isFalse();

    third.cut(job.log(), CoreKeys.FEWEST_LOG_DAYS);
    assertThat(job.log().tailDownTo(1).numbers()).containsExactly(1L, 2L, 3L);
    second.cut(job.log(), CoreKeys.FEWEST_LOG_DAYS);
    assertThat(job.log().tailDownTo(1).numbers()).containsExactly(2L, 3L);
  }

  @Test
  void aCutThatFailsFailsNoJob() throws IOException {
    commit("job-a", "day=1/a");
    store.pass(Duration.ofDays(8));
    CommitReport report = commit("job-b", "day=1/b");
    store.faults().fail(RequestType.LIST, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);

    assertThatCode(() -> report.cut(job.log(), CoreKeys.FEWEST_LOG_DAYS))
        .doesNotThrowAnyException();

    assertThat(job.log().tailDownTo(1).numbers()).containsExactly(1L, 2L);
  }
}
