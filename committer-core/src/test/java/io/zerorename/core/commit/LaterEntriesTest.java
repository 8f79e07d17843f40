package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What is known of the entries after one. */
class LaterEntriesTest extends TimedCommits {
  private static final Path DAY_1 = new Path(TestJob.TABLE, "day=1");

  private LogEntry decide(String id, Overwrite overwrite, String... files) throws IOException {
    return job(id).task("a", files).decideAndDie(overwrite);
  }

  private LaterEntries than(LogEntry entry) throws IOException {
    return LaterEntries.than(entry, job.log());
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
    // As whoever executes it.
    job.log().read(target.number(), job.log().tail());
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

  /** The log was deleted by hand while a process executed the entry. */
  @Test
  void anEntryThatHasGotItsNumberSaysNothingOfIt() throws IOException {
    TestJob writer = job("target").task("a", "day=1/0");
    LogEntry target = writer.decideAndDie(Overwrite.none());
    store.deleteObjects(store.keys().stream().filter(it -> it.contains("/log/")).toList());
    LogEntry other = decide("other", Overwrite.none(), "day=1/0");
    LogEntry later = decide("replaces", Overwrite.directoriesOfFiles(), "day=1/0");
    assertThat(other.number()).isEqualTo(target.number());
    job.log().mark(other, EntryState.COMPLETE, EndNote.NOTHING);
    job.log().mark(later, EntryState.COMPLETE, EndNote.NOTHING);

    for (LaterEntries known : List.of(than(target), LaterEntries.than(target, writer.log()))) {
      assertThat(known.isEnded()).isFalse();
      assertThat(known.isFinalized(DAY_1)).as("the other is followed").isFalse();
      assertThat(known.isReplacedForGood(DAY_1)).isTrue();
    }
    assertThat(than(other).isEnded()).isTrue();
    assertThat(than(other).isFinalized(DAY_1)).isTrue();
    assertThat(job.log().isOfAnother(other, job.log().tail())).isFalse();
  }
}
