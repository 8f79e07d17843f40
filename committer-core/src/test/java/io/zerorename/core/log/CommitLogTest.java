package io.zerorename.core.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.Decisions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** How jobs are decided in a log, what is read of it, and for which entry a marker speaks. */
class CommitLogTest extends LogFixture {
  @Test
  void anEntryReadsBackAsItWasWritten() throws IOException {
    decide(adds("first", DAY_1));
    OutputJob job =
        new OutputJob(
            "job.of/odd: name",
            "INSERT into db.ü",
            TABLE,
            List.of(TABLE, new Path("s3a://other/t")),
            true,
            Map.of("database", "db"));
    LogEntry draft =
        new LogEntry(
            0,
            EntryKind.REPLACE,
            "write",
            job,
            List.of(DAY_1),
            List.of(DAY_1, DAY_2),
            new TreeSet<>(List.of(1L)),
            new TreeSet<>(),
            List.of("parts/a.0123", "parts/b.89ab"),
            PlanChunk.EMPTY);

    LogEntry written = decide(draft);

    LogEntry read = log().read(2).orElseThrow();
    assertThat(read).isEqualTo(written);
    assertThat(read.replaces()).containsExactly(DAY_1, DAY_2);
    log().mark(written, EntryState.COMPLETE, EndNote.NOTHING);
    assertThat(log().find("job.of/odd: name", log().tail())).contains(written);
  }

  @Test
  void aJobIsDecidedOnceAlsoByDecidersThatListedTheLogAtTheSameTime() throws IOException {
    decide(adds("other", DAY_1));
    LogTail tail = log().tail();
    LogEntry first = Decisions.decide(log(), adds("job", DAY_1), tail);

    LogEntry second = Decisions.decide(log(), adds("job", DAY_1), tail);

    assertThat(second.writeId()).isEqualTo(first.writeId());
    assertThat(log().tail().highest()).isEqualTo(2);
    assertThat(log().find("job", log().tail())).contains(first);
    assertThat(log().find("nobody", log().tail())).isEmpty();
  }

  @Test
  void whoLosesANumberFollowsTheEntryThatTookItAndWhatThatFollows() throws IOException {
    LogTail tail = log().tail();
    Decisions.decide(log(), adds("adds", DAY_1), tail);
    LogEntry first = Decisions.decide(log(), replaces("first", DAY_1), tail);
    LogEntry elsewhere = Decisions.decide(log(), replaces("elsewhere", DAY_2), tail);

    LogEntry second = decide(replaces("second", DAY_1));
    LogEntry above = Decisions.decide(log(), replaces("above", TABLE), tail);

    assertThat(first.follows()).containsExactly(1L);
    assertThat(elsewhere.follows()).isEmpty();
    assertThat(second.follows()).as("what its tail shows is its caller's business").isEmpty();
    assertThat(above.follows()).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void whoLosesANumberFollowsWhatHasIt() throws IOException {
    LogTail empty = log().tail();
    LogEntry adds = Decisions.decide(log(), adds("adds", DAY_1), empty);
    log().mark(adds, EntryState.COMPLETE, EndNote.NOTHING);
    LogTail tail = log().tail();
    assertThat(Decisions.decide(log(), replaces("first", DAY_1), empty).follows())
        .containsExactly(1L);

    assertThat(tail.open()).isEmpty();
    LogEntry second = Decisions.decide(log(), replaces("second", DAY_1), tail);
    assertThat(second.follows()).containsExactly(2L);
    assertThat(second.open()).containsExactly(2L);
  }

  @Test
  void decidersOfOneInstantTakeANumberEach() throws Exception {
    int deciders = 16;
    CyclicBarrier begin = new CyclicBarrier(deciders);
    ExecutorService threads = Executors.newFixedThreadPool(deciders);
    try {
      List<Future<LogEntry>> entries =
          IntStream.range(0, deciders)
              .mapToObj(
                  i ->
                      threads.submit(
                          () -> {
                            LogTail tail = log().tail();
                            begin.await();
                            return Decisions.decide(log(), adds("job-" + i, DAY_1), tail);
                          }))
              .toList();
      List<Long> numbers = new ArrayList<>();
      for (Future<LogEntry> entry : entries) {
        numbers.add(entry.get().number());
      }
      assertThat(numbers)
          .containsExactlyInAnyOrderElementsOf(
              LongStream.rangeClosed(1, deciders).boxed().toList());
      // Who gets the n-th number has lost n - 1.
      long lost = deciders * (deciders - 1L) / 2;
      assertThat(store.requests())
          .isEqualTo(
              Map.of(
                  RequestType.LIST,
                  (long) deciders,
                  RequestType.PUT,
                  deciders + lost,
                  RequestType.GET,
                  lost));
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void whatOthersPutIntoTheLogIsNoEntry() throws IOException {
    for (String name :
        List.of(
            "README",
            "1",
            "x.ended",
            "_000000000000",
            "_999999999990.ended.somehow.add.1.1.job",
            "_999999999990.ended.complete.add.1.1.%zz",
            "_999999999990.ended.complete.add.99999999999999999999.1.x")) {
      damage("log/" + name, new byte[1]);
    }

    assertThat(log().tail().highest()).isZero();
    assertThat(decide(adds("job", DAY_1)).number()).isEqualTo(1);
    assertThat(log().tail().numbers()).containsExactly(1L);
    assertThat(log().tail().open()).containsExactly(1L);
  }

  @Test
  void aJobOfPlainNamesThatLosesItsNumberDecidesNothing() throws IOException {
    LogTail tail = log().tail();
    decide(adds("faster", DAY_2));
    OutputJob plain = new OutputJob("plain", "a job", TABLE, List.of(TABLE), true, Map.of());
    LogEntry draft =
        new LogEntry(
            0,
            EntryKind.ADD,
            "write",
            plain,
            List.of(DAY_1),
            List.of(),
            new TreeSet<>(),
            new TreeSet<>(),
            List.of(),
            PlanChunk.EMPTY);

    assertThatThrownBy(() -> Decisions.decide(log(), draft, tail))
        .isInstanceOf(NotWrittenException.class)
        .hasMessageContaining("INSERT into db.t by faster has been committed to " + TABLE)
        .hasMessageContaining("as entry 1");
    assertThat(log().tail().highest()).isEqualTo(1);

    assertThat(log().decideAgainst(plain, tail).number())
        .as("it can still be aborted")
        .isEqualTo(2);
  }

  @Test
  void aDamagedEntryIsNeverTakenForNone() throws IOException {
    LogTail before = log().tail();
    decide(adds("job", DAY_1));
    String text = new String(records().get(EntryNames.entry(1)).orElseThrow(), UTF_8);
    for (String damaged :
        List.of(
            "",
            text.substring(0, text.length() / 2),
            text.replace("\"version\":7", "\"version\":9"),
            text.replace("\"ADD\"", "\"PERHAPS\""),
            text.replace("\"open\":[]", "\"open\":[1]"),
            text.replace("\"follows\":[]", "\"follows\":[1]"),
            text.replace("\"chunks\"", "\"plans\""),
            text + "{}")) {
      assertThat(damaged).isNotEqualTo(text);
      damage(EntryNames.entry(1), damaged.getBytes(UTF_8));
      assertThatThrownBy(() -> log().read(1))
          .as(damaged)
          .isInstanceOf(MalformedDocumentException.class)
          .hasMessageContaining(log().location(1));
      assertThatThrownBy(() -> log().find("job", log().tail())).as(damaged).isNotNull();
      assertThatThrownBy(() -> Decisions.decide(log(), adds("other", DAY_1), before))
          .as(damaged)
          .isNotNull();
      assertThatThrownBy(() -> log().decideAgainst("job", before)).as(damaged).isNotNull();
    }
    assertThat(log().tail().highest()).isEqualTo(1);
  }

  private void endsOf(int jobs) throws IOException {
    EndedEntries.add(store, log(), jobs, DAY_1);
  }

  @Test
  void theTailReachesDownToAnEntryThatHasNotEnded() throws IOException {
    endsOf(3);
    LogEntry open = decide(adds("open", DAY_1));
    endsOf(600);
    store.resetCounts();

    assertThat(log().tail().open()).containsExactly(open.number());
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 2L));
  }

  @Test
  void aDeciderThatSleptForADayDecidesNothing() throws IOException {
    LogTail tail = log().tail();
    store.pass(Duration.ofHours(25));
    store.resetCounts();

    assertThatThrownBy(() -> Decisions.decide(log(), adds("job", DAY_1), tail))
        .isInstanceOf(NotWrittenException.class)
        .hasMessageContaining("more than a day ago")
        .hasMessageEndingWith("may be one that was deleted.");
    assertThat(store.requests()).isEmpty();
  }

  /** An entry that no process ends, such as an overwrite that has lost a file. */
  @Test
  void oneThatNeverEndsCostsOneListingMoreHoweverManyFollow() throws IOException {
    LogEntry stuck = decide(replaces("stuck", DAY_1));
    log().mark(stuck, EntryState.LEFT, EndNote.NOTHING);
    EndedEntries.add(store, log(), 5_000, DAY_2);
    store.resetCounts();

    LogTail tail = log().tail();

    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 2L));
    assertThat(tail.open()).containsExactly(stuck.number());
    assertThat(tail.state(stuck.number())).isEqualTo(EntryState.LEFT);
    assertThat(tail.isEnded(2_000)).as("below what was listed").isTrue();
    LogEntry next = decide(adds("next", DAY_2));
    assertThat(next.open()).containsExactly(stuck.number());
  }

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
