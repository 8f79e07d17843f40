package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which open commits are left to their processes, and for how long. */
class OwnershipTest extends OpenCommits {
  @Test
  void aCommitThatThisProcessHasUnderWayIsLeftAlone() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), ProcessIdentity.current());
    RunningCommits.begin(job.outputJob());
    try {
      store.resetCounts();
      assertThat(recovery().run(Duration.ZERO))
          .singleElement()
          .isInstanceOfSatisfying(
              Recovered.UnderWay.class,
              underWay -> assertThat(underWay.by()).isEqualTo("this process"));
      assertThat(data()).isEmpty();
      assertThat(store.requests())
          .as("the decision, and whether it is damaged")
          .isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.GET, 2L));
    } finally {
      RunningCommits.end(job.id());
    }
    assertThat(recovery().run(Duration.ofDays(1)))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
  }

  @Test
  void aProcessOfAnotherHostIsGivenTime() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), ELSEWHERE);
    assertThat(recovery().run(Duration.ofMinutes(1)))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.UnderWay.class,
            underWay -> {
              assertThat(underWay.by()).isEqualTo("process 1 on another-host");
              assertThat(underWay.message()).contains("it was left alone");
            });
    assertThat(data()).isEmpty();
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void aProposalOfAnotherMachineIsLeftForThePatience() throws IOException {
    job.task("a", "day=1/0");
    Proposals.propose(job.log(), job.plan(Overwrite.none()), ELSEWHERE);
    assertThat(recovery().run(Duration.ofDays(1)))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.UnderWay.class,
            underWay -> assertThat(underWay.by()).isEqualTo("process 1 on another-host"));
    assertThat(job.log().isDecided(job.id())).isFalse();
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isEqualTo(new Recovered.RolledBack(job.id(), 1));
  }

  @Test
  void aProposalOfADeadProcessIsUndoneAtOnce() throws IOException {
    job.task("a", "day=1/0");
    Proposals.propose(job.log(), job.plan(Overwrite.none()), DEAD);
    assertThat(recovery().run(Duration.ofDays(1)))
        .singleElement()
        .isEqualTo(new Recovered.RolledBack(job.id(), 1));
    assertThat(store.pendingKeys()).isEmpty();
    assertThatThrownBy(job::insert).hasMessageContaining("was aborted");
  }

  @Test
  void waitingEndsWithThePatience() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), ELSEWHERE);
    assertThat(
            recovery().clear(Duration.ofMillis(100), Set.of("another job"), List.of(TestJob.TABLE)))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
  }

  @Test
  void whoeverIsAtWorkOnADamagedCommitIsNotWaitedFor() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), ELSEWHERE);
    job.log().noteDamage(job.id(), new Damage(List.of(job.path("day=1/0"))));
    Duration day = Duration.ofDays(1);
    assertThat(recovery().run(day)).singleElement().isInstanceOf(Recovered.Damaged.class);
    assertThat(recovery().retry(day)).singleElement().isInstanceOf(Recovered.UnderWay.class);
  }
}
