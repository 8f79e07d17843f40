package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** When an entry has ended, and for whom a marker speaks. */
class EntryEndingsTest extends LogFixture {
  @Test
  void anEntryThatHasEndedIsQuietAndOneWhoseMetastoreIsOpenIsNot() throws IOException {
    LogEntry complete = decide(adds("complete", DAY_1));
    LogEntry open = decide(adds("open", DAY_1));
    LogEntry running = decide(adds("running", DAY_1));
    log().end(complete, Ending.COMPLETE, EndNote.NOTHING);
    log().end(complete, Ending.COMPLETE, EndNote.NOTHING);
    log().end(open, Ending.METASTORE_OPEN, EndNote.NOTHING);

    LogTail tail = log().tail();

    assertThat(tail.notQuiet()).containsExactly(open.number(), running.number());
    assertThat(tail.notEnded()).containsExactly(running.number());
    assertThat(tail.isDone(complete.number())).isTrue();
    assertThat(tail.isDone(running.number())).isFalse();
    assertThat(tail.lowest()).isEqualTo(open.number());
    assertThat(decide(adds("next", DAY_1)).lowest()).isEqualTo(open.number());
  }

  @Test
  void whoResumesAnEntryEndsItAsWell() throws IOException {
    LogEntry gone = decide(replaces("gone", DAY_1));
    LogEntry resumed = log().resume(gone, log().tail());
    assertThat(resumed.kind()).isEqualTo(EntryKind.RESUME);
    assertThat(resumed.target()).isEqualTo(gone.number());
    assertThat(resumed.overlaps(new DirectorySet(List.of(DAY_1)))).isTrue();
    log().end(resumed, Ending.COMPLETE, EndNote.NOTHING);

    LogTail tail = log().tail();

    assertThat(tail.isDone(gone.number())).isTrue();
    assertThat(tail.notQuiet()).isEmpty();
    assertThat(log().find("gone", tail)).contains(gone);
  }

  @Test
  void aResumeThatChangedNothingEndsItselfOnly() throws IOException {
    LogEntry gone = decide(adds("gone", DAY_1));
    LogEntry resumed = log().resume(gone, log().tail());
    log().end(resumed, Ending.LEFT, EndNote.NOTHING);

    assertThat(log().tail().isDone(gone.number())).isFalse();
    assertThat(log().tail().notQuiet()).containsExactly(gone.number());
  }

  @Test
  void aSupersededEntryIsQuietWhateverItsExecutorDoes() throws IOException {
    LogEntry gone = decide(adds("gone", DAY_1));
    LogEntry left = log().resume(gone, log().tail());
    log().end(left, Ending.LEFT, EndNote.NOTHING);
    assertThat(log().tail().isLeft(gone.number())).isTrue();

    log().end(gone, Ending.SUPERSEDED, EndNote.NOTHING);

    LogTail tail = log().tail();
    assertThat(tail.notQuiet()).isEmpty();
    assertThat(tail.isDone(gone.number())).isTrue();
    assertThat(tail.isInPlace(gone.number())).isTrue();
    log().end(gone, Ending.COMPLETE, EndNote.NOTHING);
    assertThat(log().tail().markers(gone.number()))
        .extracting(Marker::ending)
        .containsExactlyInAnyOrder(Ending.SUPERSEDED, Ending.COMPLETE);
  }

  @Test
  void anEntryWhosePartitionsAreNotRegisteredYetIsInPlaceAndNotDone() throws IOException {
    LogEntry entry = decide(adds("job", DAY_1));
    log().end(entry, Ending.METASTORE_OPEN, EndNote.NOTHING);

    LogTail tail = log().tail();
    assertThat(tail.isInPlace(entry.number())).isTrue();
    assertThat(tail.isDone(entry.number())).isFalse();
    assertThat(tail.notQuiet()).containsExactly(entry.number());
    assertThat(tail.unfinished()).containsExactly(entry.number());

    log().end(log().resume(entry, tail), Ending.COMPLETE, EndNote.NOTHING);
    assertThat(log().tail().isDone(entry.number())).isTrue();
    assertThat(log().tail().unfinished()).isEmpty();
  }

  @Test
  void whoLeavesAnEntryAloneEndsOnlyItself() throws IOException {
    LogEntry gone = decide(adds("gone", DAY_1));
    LogEntry resumed = log().resume(gone, log().tail());
    assertThat(log().tail().isLeft(gone.number())).isFalse();
    log().end(resumed, Ending.LEFT, EndNote.NOTHING);

    LogTail tail = log().tail();
    assertThat(tail.isLeft(gone.number())).isTrue();
    assertThat(tail.isInPlace(gone.number())).isFalse();
    assertThat(tail.isQuiet(resumed.number())).isTrue();
    assertThat(tail.target(resumed.number())).isEqualTo(gone.number());
    assertThat(tail.unfinished()).containsExactly(gone.number());
  }

  @Test
  void anEntryThatIsGivenUpIsDoneAndItsMarkerNamesWhatIsLost() throws IOException {
    LogEntry first = decide(adds("first", DAY_1));
    LogEntry damaged = decide(replaces("damaged", DAY_1));
    LogEntry forceClosed = log().forceClose(damaged, log().tail());
    assertThat(forceClosed.kind()).isEqualTo(EntryKind.GIVEUP);
    assertThat(forceClosed.follows()).containsExactly(damaged.number());
    EndNote note = new EndNote(2, 30, 4, List.of(new Path(DAY_1, "lost")));
    log().end(forceClosed, Ending.COMPLETE, note);

    LogTail tail = log().tail();
    assertThat(tail.isDone(damaged.number())).isTrue();
    assertThat(tail.isDone(first.number())).isFalse();
    assertThat(tail.marker(forceClosed.number()).map(Marker::kind)).contains(EntryKind.GIVEUP);
    assertThat(log().ends(damaged.number(), tail)).containsExactly(note);
    assertThat(log().ends(forceClosed.number(), tail)).as("it has executed another").isEmpty();
  }

  @Test
  void whoResumesAnEntryFollowsItAndWhatItFollows() throws IOException {
    LogTail tail = log().tail();
    decide(adds("adds", DAY_1));
    LogEntry gone = log().decide(replaces("gone", DAY_1), tail);
    LogEntry resumed = log().resume(gone, log().tail());

    assertThat(resumed.follows()).containsExactly(1L, 2L);
    assertThat(log().following(new DirectorySet(List.of(DAY_1)), log().tail()))
        .containsExactly(1L, 2L, 3L);
    assertThat(log().following(new DirectorySet(List.of(DAY_2)), log().tail())).isEmpty();
    assertThat(log().following(DirectorySet.none(), log().tail())).isEmpty();
  }

  @Test
  void anEntryThatCannotBeReadIsEndedByItsNumber() throws IOException {
    decide(adds("first", DAY_1));
    decide(adds("second", DAY_1));
    damage(EntryNames.entry(2), new byte[0]);
    log().endUnreadable(2, Optional.empty(), log().tail());
    LogEntry first = log().read(1).orElseThrow();
    log().endUnreadable(1, Optional.of(first), log().tail());

    LogTail tail = log().tail();
    assertThat(tail.notQuiet()).isEmpty();
    assertThat(tail.isDone(2)).isTrue();
    assertThat(tail.markers(2))
        .containsExactly(new Marker(2, Ending.DAMAGED, EntryKind.ADD, 1, 2, "unreadable"));
    assertThat(tail.marker(1).map(Marker::jobId)).contains("first");
    assertThat(decide(adds("next", DAY_1)).number()).isEqualTo(3);
  }

  @Test
  void aResumeIsOverOnceItsTargetHasEnded() throws IOException {
    LogEntry gone = decide(adds("gone", DAY_1));
    LogEntry diesToo = log().resume(gone, log().tail());
    LogEntry second = log().resume(gone, log().tail());
    assertThat(log().tail().isOver(diesToo)).isFalse();
    log().end(second, Ending.COMPLETE, EndNote.NOTHING);

    LogTail tail = log().tail();
    assertThat(tail.notQuiet()).as("what its name does not tell").containsExactly(diesToo.number());
    assertThat(tail.isOver(diesToo)).isTrue();
    assertThat(tail.unfinished()).containsExactly(diesToo.number());
  }
}
