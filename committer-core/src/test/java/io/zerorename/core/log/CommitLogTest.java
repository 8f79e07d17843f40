package io.zerorename.core.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.Decisions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** How jobs are decided in a log, and what is read of it. */
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
  void onlyWhatHasNotEndedIsFollowed() throws IOException {
    LogTail empty = log().tail();
    LogEntry adds = Decisions.decide(log(), adds("adds", DAY_1), empty);
    Decisions.decide(log(), replaces("first", DAY_1), empty);
    log().mark(adds, EntryState.COMPLETE, EndNote.NOTHING);

    LogTail tail = log().tail();

    assertThat(tail.open()).containsExactly(2L);
    assertThat(log().overlapping(tail.open(), new DirectorySet(List.of(DAY_1)), tail))
        .containsExactly(2L);
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
  void aJobThatIsDecidedAgainstNeverCommits() throws IOException {
    LogTail tail = log().tail();
    LogEntry against = log().decideAgainst(job("job"), tail);
    assertThat(against.kind()).isEqualTo(EntryKind.VOID);

    assertThat(Decisions.decide(log(), adds("job", DAY_1), tail).kind()).isEqualTo(EntryKind.VOID);

    LogEntry committed = decide(adds("other", DAY_1));
    assertThat(log().decideAgainst(job("other"), tail).writeId()).isEqualTo(committed.writeId());
  }

  @Test
  void anEntryOfAnotherNumberIsRefused() throws IOException {
    decide(adds("first", DAY_1));
    decide(adds("second", DAY_1));
    damage(EntryNames.entry(1), records().get(EntryNames.entry(2)).orElseThrow());
    assertThatThrownBy(() -> log().read(1)).hasMessageContaining("its number is 2");
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
  void aCommitCostsOneListOneEntryAndOneMarkerHoweverOldTheTableIs() throws IOException {
    endsOf(1_200);
    store.resetCounts();

    CommitLog log = log();
    log.mark(
        Decisions.decide(log, adds("job", DAY_1), log.tail()),
        EntryState.COMPLETE,
        EndNote.NOTHING);

    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.PUT, 2L));
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

  @Test
  void aJobThatWasDecidedSinceItsSetUpIsFoundBehindLaterOnes() throws IOException {
    Instant setUp = store.now();
    LogEntry decided = decide(adds("job", DAY_1));
    log().mark(decided, EntryState.COMPLETE, EndNote.NOTHING);
    endsOf(600);

    assertThat(log().find("job", log().tail())).isEmpty();
    assertThat(log().find("job", log().tailSince(setUp)).orElseThrow().number())
        .isEqualTo(decided.number());
  }

  @Test
  void aTailDownToANumberReadsAllFromThereAndOneSinceATimeAllSinceThen() throws IOException {
    endsOf(1);
    store.pass(Duration.ofHours(1));
    Instant later = store.now();
    endsOf(2);

    assertThat(log().tailSince(later).numbers()).contains(2L, 3L);
    endsOf(1_200);
    store.resetCounts();
    assertThat(log().tail().numbers()).doesNotContain(700L).contains(1_203L);
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L));
    assertThat(log().tailSince(later).numbers()).contains(2L, 3L);
    store.resetCounts();
    assertThat(log().tailDownTo(2).numbers())
        .containsAll(LongStream.rangeClosed(2, 1_203).boxed().toList());
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 3L));
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
}
