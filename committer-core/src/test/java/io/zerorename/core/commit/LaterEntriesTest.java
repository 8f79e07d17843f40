package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What is known of the entries after one. */
class LaterEntriesTest extends OpenCommits {
  private static final Path DAY_1 = new Path(TestJob.TABLE, "day=1");
  private static final Path DAY_2 = new Path(TestJob.TABLE, "day=2");
  private static final Path DAY_3 = new Path(TestJob.TABLE, "day=3");

  private LogEntry decide(String id, Overwrite overwrite, String... files) throws IOException {
    return job(id).task("a", files).decideAndDie(overwrite);
  }

  private LaterEntries than(LogEntry entry) throws IOException {
    return LaterEntries.than(entry.number(), job.log());
  }

  @Test
  void theDirectoriesThatTheyReplaceAreKnownByNumber() throws IOException {
    LogEntry earlier = decide("earlier", Overwrite.directoriesOfFiles(), "day=1/0");
    LogEntry target = decide("target", Overwrite.directoriesOfFiles(), "day=2/0");
    decide("adds", Overwrite.none(), "day=1/0");
    decide("both", Overwrite.directoriesOfFiles(), "day=2/0", "day=3/0");
    LogEntry last = decide("last", Overwrite.directoriesOfFiles(), "day=1/0");

    LaterEntries later = than(target);

    assertThat(later.isEndedOrReplaced(DAY_1)).isTrue();
    assertThat(later.isEndedOrReplaced(DAY_2)).isTrue();
    assertThat(later.isEndedOrReplaced(new Path(DAY_3, "hour=1"))).isTrue();
    assertThat(later.isEndedOrReplaced(new Path(TestJob.TABLE, "day=4"))).isFalse();
    assertThat(later.isEndedOrReplaced(TestJob.TABLE)).isFalse();
    assertThat(later.isReplacedForGood(DAY_1)).isFalse();
    assertThat(later.isEnded()).isFalse();
    assertThat(than(earlier).isEndedOrReplaced(DAY_1)).isTrue();
    assertThat(than(last).isEndedOrReplaced(DAY_1)).isFalse();
  }

  @Test
  void whoseNameSaysThatItReplacesNothingIsNotRead() throws IOException {
    LogEntry target = decide("target", Overwrite.none(), "day=1/0");
    job.log()
        .mark(decide("adds", Overwrite.none(), "day=1/0"), EntryState.COMPLETE, EndNote.NOTHING);
    job.log()
        .mark(
            decide("replaces", Overwrite.directoriesOfFiles(), "day=1/0"),
            EntryState.COMPLETE,
            EndNote.NOTHING);
    decide("open", Overwrite.none(), "day=1/0");
    store.resetCounts();
    assertThat(than(target).isEndedOrReplaced(DAY_1)).isTrue();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.GET, 2L));
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

  @Test
  void whatWasCutHasEnded() throws IOException {
    LogEntry target = decide("target", Overwrite.none(), "day=1/0");
    job.log().mark(target, EntryState.SUPERSEDED, EndNote.NOTHING);
    store.pass(Duration.ofDays(8));
    decide("later", Overwrite.none(), "day=1/0");
    job.log().cut();
    assertThat(than(target).isEnded()).isTrue();
  }
}
