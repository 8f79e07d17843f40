package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.cli.LoggedJob.State;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.commit.TimedCommits;
import io.zerorename.core.config.CoreKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is shown of jobs whose plans were deleted, while an older entry keeps theirs in the log. */
class JobHistoryTest extends TimedCommits {
  /** More than an entry itself holds. */
  private static final int MANY = 1_001;

  private LoggedJob logged(String jobId) throws IOException {
    return read(10).stream()
        .filter(it -> it.job().filter(jobId::equals).isPresent())
        .findFirst()
        .orElseThrow();
  }

  private List<LoggedJob> read(int ended) throws IOException {
    return new JobHistory(job.log(), job.log().tailDownTo(1), TestJob.TABLE).read(ended);
  }

  private void aWeekPasses() throws IOException {
    store.pass(Duration.ofDays(8));
    assertThat(job.log().cut(CoreKeys.FEWEST_LOG_DAYS)).isZero();
    assertThat(store.keys()).noneMatch(key -> key.contains("/parts/_many."));
  }

  @Test
  void aReplacedJobWhosePlanWasCutIsReplacedAndNoProblem() throws IOException {
    job.task("a", "day=2/0").decideAndDie(Overwrite.none());
    String[] files = IntStream.range(0, MANY).mapToObj(i -> "day=1/" + i).toArray(String[]::new);
    TestJob many = job("many").smallTask("a", files);
    many.decideAndDie(Overwrite.none());
    commit(job("later").task("a", "day=1/0"), Overwrite.directoriesOfFiles());
    assertThat(logged("many").state()).isEqualTo(State.SUPERSEDED);
    assertThat(logged("many").files()).contains(MANY);
    assertThat(VerifyCommand.inLog(job.log(), "many")).hasSize(MANY);

    aWeekPasses();
    assertThat(VerifyCommand.inLog(job.log(), "many")).as("what verify checks").isEmpty();

    LoggedJob logged = logged("many");
    assertThat(logged.state()).isEqualTo(State.SUPERSEDED);
    assertThat(logged.problem()).isEmpty();
    assertThat(logged.files()).isEmpty();
    assertThat(logged.description()).contains("INSERT into db.t");
    assertThat(logged.ageSeconds()).as("by the store's clock").isBetween(691_200L, 691_800L);
    assertThat(read(0)).extracting(LoggedJob::job).containsExactly(Optional.of(job.id()));
  }
}
