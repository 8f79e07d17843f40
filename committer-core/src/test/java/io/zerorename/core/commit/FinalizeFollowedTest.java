package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an overwrite does about files of entries that had not ended when it was decided. */
class FinalizeFollowedTest extends TimedCommits {
  private static final Duration COMPLETE_TIME = Duration.ofMinutes(5);

  private TestJob overwrite;

  @BeforeEach
  void newOverwrite() throws IOException {
    overwrite = job("job-2").task("a", "day=1/7");
  }

  private LogEntry decide() throws IOException {
    return overwrite.decideAndDie(Overwrite.directoriesOfFiles());
  }

  private FinalizeFollowed.Result run(LogEntry target) throws IOException {
    return run(target, job.log().tail());
  }

  private FinalizeFollowed.Result run(LogEntry target, LogTail tail) throws IOException {
    CommitPlan plan = job.log().plan(target);
    store.resetCounts();
    Workers workers = new Workers(1, 512);
    CommitSettings settings = Waits.in(this::pass, job.settlingFor(COMPLETE_TIME).settings());
    UploadCompletion completion = new UploadCompletion(store, settings);
    return new FinalizeFollowed(job.log(), tail, target, completion, workers)
        .run(plan, new FingerprintSet(), false);
  }

  private static List<Path> paths(FinalizeFollowed.Result result) throws IOException {
    List<Path> paths = new ArrayList<>();
    DirectorySet replaced = new DirectorySet(List.of(new Path(TestJob.TABLE, "day=1")));
    for (CommitPlan followed : result.plans()) {
      RemoteIterators.foreach(
          FinalizeFollowed.filesIn(replaced, followed), file -> paths.add(file.destination()));
    }
    return paths;
  }

  @Test
  void uploadsAreCompletedSoThatNobodyBringsThemBack() throws IOException {
    LogEntry followed = job.task("a", "day=1/0", "day=1/1").decideAndDie(Overwrite.none());

    FinalizeFollowed.Result result = run(decide());

    assertThat(paths(result)).containsExactlyInAnyOrder(job.path("day=1/0"), job.path("day=1/1"));
    assertThat(result.superseded()).extracting(LogEntry::number).containsExactly(followed.number());
    assertThat(data()).containsExactly(job.key("day=1/0"), job.key("day=1/1"));
    assertThat(waited).isZero();
  }

  @Test
  void whatTheOverwriteHasListedNeedNotBeCompleted() throws IOException {
    job.task("a", "day=1/0", "day=1/1").decideAndDie(Overwrite.none());
    complete(upload(job, 0));
    FinalizeFollowed.Result result = run(decide());
    assertThat(paths(result)).hasSize(2);
    assertThat(store.requests()).containsEntry(RequestType.COMPLETE_UPLOAD, 1L);
  }

  @Test
  void filesOfOtherDirectoriesAreNotTouched() throws IOException {
    job.task("a", "day=1/0", "day=2/0").decideAndDie(Overwrite.none());
    FinalizeFollowed.Result result = run(decide());
    assertThat(paths(result)).containsExactly(job.path("day=1/0"));
    assertThat(result.superseded()).as("more is left of it").isEmpty();
    assertThat(data()).containsExactly(job.key("day=1/0"));
    assertThat(store.pendingKeys()).contains(job.key("day=2/0"));
  }

  @Test
  void whatIsNeitherPendingNorThereIsWaitedForAsLongAsACompleteMayTake() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    vanish(job, 0);
    assertThat(paths(run(decide()))).containsExactly(job.path("day=1/0"));
    assertThat(waited).isBetween(COMPLETE_TIME.minusSeconds(2), COMPLETE_TIME.plusSeconds(1));
  }
}
