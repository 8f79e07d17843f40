package io.zerorename.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.Posing;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.commit.TimedCommits;
import io.zerorename.core.job.RunningCommit;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which interrupted commits are left to their processes, and for how long. */
class LiveExecutorTest extends TimedCommits {
  private static final Duration A_DAY = Duration.ofDays(1);

  @Test
  void aCommitThatThisProcessHasUnderWayIsLeftAlone() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), ProcessIdentity.current());
    try (RunningCommit running = RunningCommit.begin(job.outputJob())) {
      store.resetCounts();
      assertThat(recover())
          .isInstanceOfSatisfying(
              Recovered.UnderWay.class,
              underWay -> assertThat(underWay.by()).isEqualTo("this process"));
      assertThat(data()).isEmpty();
      assertThat(store.requests())
          .as("the log, and the entry")
          .isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.GET, 1L));
    }
    assertThat(recovery().run(A_DAY)).hasExactlyElementsOfTypes(Recovered.Completed.class);
  }

  @Test
  void aSecondCommitterThatFailsDoesNotEndTheFirst() throws IOException {
    job.task("a", "day=1/0");
    job.commit(
        Overwrite.none(),
        (workers, action) -> {
          assertThatThrownBy(
                  () ->
                      job.commit(
                          Overwrite.none(),
                          (none, nothing) -> {
                            throw new IOException("no manifest");
                          }))
              .isInstanceOf(CommitFailedException.class);
          assertThat(RunningCommit.exists(job.id())).isTrue();
          Manifests.of(job.chosen()).forEach(workers, action);
        });
    assertThat(RunningCommit.exists(job.id())).isFalse();
    assertThat(data()).containsExactly(job.key("day=1/0"));
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
              assertThat(underWay.message())
                  .contains("INSERT into db.t was committed as entry 1", "it was not touched");
            });
    assertThat(data()).isEmpty();
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void theTimeIsThatOfItsEntry() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none(), ELSEWHERE);
    store.pass(Duration.ofMinutes(4));
    assertThat(recovery().run(Duration.ofMinutes(5)))
        .hasExactlyElementsOfTypes(Recovered.UnderWay.class);
    store.pass(Duration.ofMinutes(2));
    assertThat(recovery().run(Duration.ofMinutes(5)))
        .hasExactlyElementsOfTypes(Recovered.Completed.class);
  }

  @Test
  void aDeadProcessOfThisHostIsNotWaitedFor() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none(), DEAD);
    assertThat(recovery().run(A_DAY)).hasExactlyElementsOfTypes(Recovered.Completed.class);
  }

  private LogEntry resumedElsewhere() throws IOException {
    LogEntry gone = job.task("a", "day=1/0").decideAndDie(Overwrite.none(), DEAD);
    CommitLog elsewhere =
        new CommitLog(new Posing(new ObjectRecords(store, TestJob.LOG), ELSEWHERE), TestJob.LOG);
    return elsewhere.resume(gone, elsewhere.tail());
  }

  @Test
  void whoeverResumesItIsGivenTimeAsWell() throws IOException {
    resumedElsewhere();
    assertThat(recovery().run(A_DAY))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.UnderWay.class,
            underWay -> {
              assertThat(underWay.number()).isEqualTo(1);
              assertThat(underWay.by()).isEqualTo("process 1 on another-host");
            });
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
  }

  @Test
  void whoeverHasLeftItIsNotWaitedFor() throws IOException {
    LogEntry resumed = resumedElsewhere();
    job.log().end(resumed, Ending.LEFT, EndNote.NOTHING);
    assertThat(recovery().run(A_DAY)).hasExactlyElementsOfTypes(Recovered.Left.class);
    assertThat(recovery().resumeAll(A_DAY)).hasExactlyElementsOfTypes(Recovered.Completed.class);
  }

  @Test
  void whoeverResumesAnotherEntryDoesNotCount() throws IOException {
    resumedElsewhere();
    TestJob other = job("job-2").task("a", "day=1/0");
    other.decideAndDie(Overwrite.none(), DEAD);
    assertThat(recovery().run(A_DAY))
        .hasExactlyElementsOfTypes(Recovered.UnderWay.class, Recovered.Completed.class);
    assertThat(data()).containsExactly(other.key("day=1/0"));
  }
}
