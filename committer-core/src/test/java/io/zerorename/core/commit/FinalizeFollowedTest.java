package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.parallel.Workers;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    CommitPlan plan = job.log().plan(target);
    store.resetCounts();
    Workers workers = new Workers(1, 512);
    CommitSettings settings = Waits.in(this::pass, job.settlingFor(COMPLETE_TIME).settings());
    UploadCompletion completion = new UploadCompletion(store, settings);
    return new FinalizeFollowed(job.log(), job.log().tail(), target, completion, workers)
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

  private static final Path DAY_1 = new Path(TestJob.TABLE, "day=1");

  private LogEntry decide(String id, Overwrite overwrite, String... files) throws IOException {
    return job(id).task("a", files).decideAndDie(overwrite);
  }

  private LaterEntries than(LogEntry entry) throws IOException {
    return LaterEntries.than(entry, job.log());
  }

  @Test
  void anOverwriteThatFollowsItAndWasExecutedHasSettledItsFiles() throws IOException {
    LogEntry target = decide("target", Overwrite.none(), "day=1/0", "day=2/0");
    LogEntry later = decide("replaces", Overwrite.directoriesOfFiles(), "day=1/0");
    assertThat(later.follows()).containsExactly(target.number());
    assertThat(than(target).isEndedOrReplaced(DAY_1)).isTrue();
    assertThat(than(target).isFinalized(DAY_1)).isFalse();
    job.log().mark(later, EntryState.SUPERSEDED, EndNote.NOTHING);
    assertThat(than(target).isReplacedForGood(DAY_1)).isTrue();
    assertThat(than(target).isFinalized(DAY_1)).as("another may have replaced both").isFalse();
    job.log().mark(later, EntryState.COMPLETE, EndNote.NOTHING);
    assertThat(than(target).isFinalized(DAY_1)).isTrue();
    assertThat(than(target).isFinalized(new Path(TestJob.TABLE, "day=2"))).isFalse();
  }

  private SortedSet<Long> following(String... directories) throws IOException {
    List<Path> paths =
        Arrays.stream(directories)
            .map(it -> it.isEmpty() ? TestJob.TABLE : new Path(TestJob.TABLE, it))
            .toList();
    LogTail tail = job.log().tail();
    return job.log().overlapping(tail.open(), new DirectorySet(paths), tail);
  }

  /** An INSERT into many directories names what contains them. */
  @ParameterizedTest
  @CsvSource({
    "day=1, true",
    "'', true",
    "day=1/hour=1, true",
    "day=2, true",
    "day=10, false",
    "day=3, false"
  })
  void anOverwriteFollowsInsertsInAboveAndBelowItsDirectories(String replaced, boolean follows)
      throws IOException {
    job.task("a", "day=2/0", "day=1/0").decideAndDie(Overwrite.none());
    assertThat(following("day=4", replaced).contains(1L)).isEqualTo(follows);
  }

  /** That one lists, and may delete, whatever lies below. */
  @ParameterizedTest
  @CsvSource({"day=1, true", "'', true", "day=1/hour=1, true", "day=10, false", "day=3, false"})
  void anOverwriteFollowsOverwritesAtAboveAndBelowItsDirectories(String replaced, boolean follows)
      throws IOException {
    job.task("a").decideAndDie(Overwrite.directory(new Path(TestJob.TABLE, "day=1")));
    assertThat(following(replaced).contains(1L)).isEqualTo(follows);
  }

  @Test
  void anOverwriteEndsACommitThatOnlyDeletesInItsDirectories() throws IOException {
    store.plant(T + "day=1/sub/old", new byte[1]);
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a");
    job.decideAndDie(Overwrite.directory(new Path(TestJob.TABLE, "day=1")));
    TestJob next = job("job-3").task("a", "day=1/sub/0");
    commit(next, Overwrite.directoriesOfFiles());
    assertThat(data()).containsExactly(T + "day=1/old", next.key("day=1/sub/0"));
    assertThat(recovery().run(NOW)).as("the rest of it").hasSize(1);
    assertThat(data())
        .as("and a marker, for a directory that was to be empty")
        .containsExactly(T + "day=1/", next.key("day=1/sub/0"));
  }
}
