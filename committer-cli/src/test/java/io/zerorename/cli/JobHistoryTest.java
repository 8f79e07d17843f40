package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.cli.LoggedJob.State;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.commit.TimedCommits;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.testing.Decisions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
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

  @Test
  void anOpenJobWhosePlanIsGoneIsNamed() throws IOException {
    String[] files = IntStream.range(0, MANY).mapToObj(i -> "day=1/" + i).toArray(String[]::new);
    job("many").smallTask("a", files).decideAndDie(Overwrite.none());
    store.deleteObjects(store.keys().stream().filter(it -> it.contains("/parts/_many.")).toList());

    LoggedJob logged = logged("many");
    assertThat(logged.state()).isEqualTo(State.UNREADABLE);
    assertThat(logged.problem().orElseThrow()).contains("/parts/_many.");
    assertThatThrownBy(() -> VerifyCommand.inLog(job.log(), "many"))
        .hasMessageStartingWith("ZR-1206");
    assertThat(logged.description()).contains("INSERT into db.t");
  }

  @Test
  void aCompleteJobWithoutFilesWhosePlanWasCutIsComplete() throws IOException {
    job.task("a", "day=2/0").decideAndDie(Overwrite.none());
    TestJob many = job("many");
    PlanWriter writer = many.log().newPlan(many.outputJob());
    for (int i = 0; i < MANY; i++) {
      writer.replace(
          new OldObject(new Path("s3a://bucket/"), T + "day=1/" + i, "\"e\"", Instant.EPOCH));
    }
    writer.writeRest();
    LogEntry entry =
        Decisions.decide(
            many.log(),
            writer.draft(List.of(), List.of(new Path(TestJob.TABLE, "day=1")), new TreeSet<>()),
            many.log().tail());
    many.log().mark(entry, EntryState.COMPLETE, new EndNote(0, 0, MANY, List.of()));

    aWeekPasses();

    LoggedJob logged = logged("many");
    assertThat(logged.state()).isEqualTo(State.COMPLETE);
    assertThat(logged.problem()).isEmpty();
    assertThat(logged.replaced()).contains(MANY);
  }
}
