package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** How far an entry is, and for which entry a marker speaks. */
class EntryEndingsTest extends LogFixture {
  @Test
  void anEntryWhoseMetastoreIsOpenHasNotEnded() throws IOException {
    LogEntry complete = decide(adds("complete", DAY_1));
    LogEntry open = decide(adds("open", DAY_1));
    LogEntry running = decide(adds("running", DAY_1));
    log().mark(complete, EntryState.COMPLETE, EndNote.NOTHING);
    log().mark(complete, EntryState.COMPLETE, EndNote.NOTHING);
    log().mark(open, EntryState.METASTORE_OPEN, EndNote.NOTHING);

    LogTail tail = log().tail();

    assertThat(tail.open()).containsExactly(open.number(), running.number());
    assertThat(tail.state(complete.number())).isEqualTo(EntryState.COMPLETE);
    assertThat(tail.state(open.number())).isEqualTo(EntryState.METASTORE_OPEN);
    assertThat(tail.state(running.number())).isEqualTo(EntryState.OPEN);
    assertThat(decide(adds("next", DAY_1)).open()).containsExactly(open.number(), running.number());
    log().mark(open, EntryState.COMPLETE, EndNote.NOTHING);
    assertThat(log().tail().isEnded(open.number())).isTrue();
  }

  @Test
  void whatIsLeftToAnOperatorHasNotEndedAndIsEndedByWhoeverExecutesIt() throws IOException {
    LogEntry gone = decide(adds("gone", DAY_1));
    log().mark(gone, EntryState.LEFT, EndNote.NOTHING);
    assertThat(log().tail().state(gone.number())).isEqualTo(EntryState.LEFT);
    assertThat(log().tail().open()).containsExactly(gone.number());

    log().mark(gone, EntryState.SUPERSEDED, EndNote.NOTHING);
    assertThat(log().tail().state(gone.number())).isEqualTo(EntryState.SUPERSEDED);
    log().mark(gone, EntryState.COMPLETE, EndNote.NOTHING);
    LogTail tail = log().tail();
    assertThat(tail.state(gone.number())).isEqualTo(EntryState.COMPLETE);
    assertThat(tail.markers(gone.number())).extracting(Marker::state).hasSize(3);
  }

  @Test
  void whatIsGivenUpHasNotEndedBeforeItWasExecuted() throws IOException {
    LogEntry first = decide(adds("first", DAY_1));
    LogEntry damaged = decide(replaces("damaged", DAY_1));
    log().mark(damaged, EntryState.GIVEN_UP, EndNote.NOTHING);
    assertThat(log().tail().isEnded(damaged.number())).isFalse();
    assertThat(log().tail().isGivenUp(damaged.number())).isTrue();
    EndNote note = new EndNote(2, 30, 4, List.of(new Path(DAY_1, "lost")));
    log().mark(damaged, EntryState.DAMAGED, note);

    LogTail tail = log().tail();
    assertThat(tail.state(damaged.number())).isEqualTo(EntryState.DAMAGED);
    assertThat(tail.isGivenUp(damaged.number())).isTrue();
    assertThat(tail.isGivenUp(first.number())).isFalse();
    assertThat(tail.isEnded(first.number())).isFalse();
    assertThat(log().notes(damaged.number(), tail)).as("how it has ended").containsExactly(note);
  }

  /** One process has only looked; a later one has found out more. */
  @Test
  void whatIsLostOfAnEntryThatIsLeftIsNotedAlsoWhereItWasLeftBefore() throws IOException {
    LogEntry entry = decide(replaces("left", DAY_1));
    log().mark(entry, EntryState.LEFT, EndNote.NOTHING);
    EndNote note = new EndNote(2, 30, 4, List.of(new Path(DAY_1, "lost")));
    log().mark(entry, EntryState.LEFT, note);
    log().mark(entry, EntryState.LEFT, EndNote.NOTHING);

    LogTail tail = log().tail();
    assertThat(tail.state(entry.number())).isEqualTo(EntryState.LEFT);
    assertThat(log().notes(entry.number(), tail)).containsExactly(note);
  }

  @Test
  void anEntryThatCannotBeReadIsEndedByItsNumber() throws IOException {
    decide(adds("first", DAY_1));
    decide(adds("second", DAY_1));
    damage(EntryNames.entry(2), new byte[0]);
    log().markUnreadable(2, Optional.empty(), log().tail(), EntryState.DAMAGED);
    LogEntry first = log().read(1).orElseThrow();
    log().markUnreadable(1, Optional.of(first), log().tail(), EntryState.DAMAGED);

    LogTail tail = log().tail();
    assertThat(tail.open()).isEmpty();
    assertThat(tail.markers(2))
        .containsExactly(
            new Marker(
                2,
                EntryState.DAMAGED,
                EntryKind.ADD,
                tail.etag(2),
                Optional.of(new TreeSet<>(List.of(1L))),
                "",
                "unreadable"));
    assertThat(tail.marker(1).map(Marker::jobId)).contains("first");
    assertThat(decide(adds("next", DAY_1)).number()).isEqualTo(3);
  }

  /** The log was deleted by hand while the job ran. */
  @Test
  void aMarkerDoesNotCountForTheEntryOfAnotherLog() throws IOException {
    LogEntry first = decide(adds("first", DAY_1));
    store.deleteObjects(store.keys());
    LogEntry other = decide(adds("other", DAY_1));
    assertThat(other.number()).isEqualTo(first.number());

    log().mark(first, EntryState.COMPLETE, EndNote.NOTHING);

    assertThat(log().tail().open()).containsExactly(other.number());
    assertThat(log().find("other", log().tail())).map(LogEntry::writeId).contains(other.writeId());
    log().mark(other, EntryState.COMPLETE, EndNote.NOTHING);
    assertThat(log().tail().open()).isEmpty();
  }

  /** A lifecycle rule has taken the entries and has left their markers. */
  @Test
  void markersWithoutTheirEntriesSayNothing() throws IOException {
    for (int i = 0; i < 3; i++) {
      LogEntry entry = decide(adds("earlier-" + i, DAY_1));
      log().mark(entry, EntryState.COMPLETE, EndNote.NOTHING);
    }
    store.deleteObjects(store.keys().stream().filter(it -> it.matches(".*/_\\d+")).toList());
    assertThat(log().tail().highest()).isZero();

    LogEntry first = decide(adds("first", DAY_1));
    LogEntry second = decide(adds("second", DAY_1));

    assertThat(first.number()).isEqualTo(1);
    assertThat(log().tail().open()).containsExactly(1L, 2L);
    assertThat(second.open()).containsExactly(1L);
  }

  @Test
  void openEntriesThatAreTooManyForANameAreReadFromTheNewestEntry() throws IOException {
    SortedSet<Long> open = new TreeSet<>();
    for (int i = 1; i <= 14; i++) {
      open.add(decide(adds("open-" + i, DAY_1)).number());
    }
    LogEntry last = decide(adds("last", DAY_1));
    assertThat(last.open()).isEqualTo(open);
    log().mark(last, EntryState.COMPLETE, EndNote.NOTHING);

    LogTail tail = log().tail();
    assertThat(tail.marker(last.number()).orElseThrow().open()).isEmpty();
    assertThat(tail.open()).isEqualTo(open);
  }
}
