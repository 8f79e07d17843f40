package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.recordstore.NotWrittenException;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class CommitLogInBucketTest extends CommitLogContract {
  private static final Path DIRECTORY = new Path("s3a://bucket/_zerorename/t-1");

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");

  @Override
  RecordStore records() {
    return new ObjectRecords(store, DIRECTORY);
  }

  @Override
  void damage(String name, byte[] document) {
    store.plant(ObjectKeys.prefixOf(DIRECTORY) + name, document);
  }

  private void endsOf(int jobs) throws IOException {
    for (int i = 0; i < jobs; i++) {
      log().end(decide(adds("earlier-" + i, DAY_1)), Ending.COMPLETE, EndNote.NOTHING);
    }
  }

  @Test
  void aCommitCostsOneListOneEntryAndOneMarkerHoweverOldTheTableIs() throws IOException {
    endsOf(1_200);
    store.resetCounts();

    log().end(decide(adds("job", DAY_1)), Ending.COMPLETE, EndNote.NOTHING);

    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.PUT, 2L));
  }

  @Test
  void theTailReachesDownToAnEntryThatHasNotEnded() throws IOException {
    endsOf(3);
    LogEntry open = decide(adds("open", DAY_1));
    endsOf(600);
    store.resetCounts();

    assertThat(log().tail().notQuiet()).containsExactly(open.number());
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 2L));
  }

  @Test
  void aLostNumberCostsOneGetAndOnePut() throws IOException {
    LogTail tail = log().tail();
    decide(adds("first", DAY_1));
    store.resetCounts();

    assertThat(log().decide(adds("second", DAY_1), tail).number()).isEqualTo(2);

    assertThat(store.requests()).isEqualTo(Map.of(RequestType.PUT, 2L, RequestType.GET, 1L));
  }

  @Test
  void aDeciderWhoseAnswerIsLostFindsItsOwnEntry() throws IOException {
    EntryDraft draft = adds("job", DAY_1);
    LogTail tail = log().tail();
    store.faults().fail(RequestType.PUT, 1, Moment.AFTER_EFFECT, StoreException.Kind.AMBIGUOUS);

    LogEntry entry = log().decide(draft, tail);

    assertThat(entry.number()).isEqualTo(1);
    assertThat(entry.writeId()).isEqualTo(draft.writeId());
    assertThat(log().tail().highest()).isEqualTo(1);
  }

  @Test
  void whetherAJobIsDecidedIsSettledByDecidingAgainstIt() throws IOException {
    LogTail tail = log().tail();
    store
        .faults()
        .failFrom(RequestType.PUT, 1, Moment.BEFORE_EFFECT, StoreException.Kind.AMBIGUOUS);
    assertThatThrownBy(() -> log().decide(adds("job", DAY_1), tail))
        .isInstanceOf(StoreException.class);
    store.faults().clear();

    LogEntry against = log().decideAgainst(job("job"), tail);

    assertThat(against.number()).isEqualTo(1);
    assertThat(against.kind()).isEqualTo(EntryKind.VOID);
  }

  @Test
  void aDeciderThatSleptForADayDecidesNothing() throws IOException {
    LogTail tail = log().tail();
    store.pass(Duration.ofHours(25));
    store.resetCounts();

    assertThatThrownBy(() -> log().decide(adds("job", DAY_1), tail))
        .isInstanceOf(NotWrittenException.class)
        .hasMessageContaining("more than a day ago")
        .hasMessageEndingWith("may be one that was deleted.");
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void aRecoveryThatSleptForADayDoesNotSayThatItsTargetIsNotCommitted() throws IOException {
    LogEntry target = decide(adds("job", DAY_1));
    LogTail tail = log().tail();
    store.pass(Duration.ofHours(25));

    assertThatThrownBy(() -> log().resume(target, Duration.ZERO, tail))
        .isInstanceOf(NotWrittenException.class)
        .hasMessageContaining("more than a day ago")
        .hasMessageNotContainingAny("not committed", "run it again");
  }

  @Test
  void anEntryIsRefusedWhenItsRequestComesAQuarterOfAnHourLate() {
    assertThatThrownBy(
            () ->
                records()
                    .putIfAbsent(
                        EntryNames.entry(1),
                        new byte[1],
                        store.now().minus(Duration.ofMinutes(16))))
        .isInstanceOf(NotWrittenException.class)
        .cause()
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.EXPIRED));
  }

  @Test
  void anEntryThatSomebodyElseCompletedIsQuietOnceItsWindowAndACompleteAreOver()
      throws IOException {
    LogEntry gone = decide(adds("gone", DAY_1));
    LogEntry doubtful = decide(adds("doubtful", DAY_1));
    log().end(doubtful, Ending.DOUBTFUL, EndNote.NOTHING);
    log().end(log().resume(gone, Duration.ZERO, log().tail()), Ending.COMPLETE, EndNote.NOTHING);

    store.pass(Duration.ofMinutes(15));
    assertThat(log().tail().notQuiet()).containsExactly(gone.number(), doubtful.number());
    store.pass(Duration.ofMinutes(5));
    assertThat(log().tail().notQuiet()).isEmpty();
    assertThat(log().tail().lowest()).isEqualTo(4);
  }

  @Test
  void anEntryIsNotQuietWhileTheStoreMayCompleteAFileOfIt() throws IOException {
    LogEntry gone = decide(adds("gone", DAY_1));
    store.pass(Duration.ofMinutes(20));
    log().end(log().resume(gone, Duration.ZERO, log().tail()), Ending.COMPLETE, EndNote.NOTHING);

    store.pass(Duration.ofMinutes(4));
    assertThat(log().tail().notQuiet()).containsExactly(gone.number());
    store.pass(Duration.ofMinutes(2));
    assertThat(log().tail().notQuiet()).isEmpty();
  }

  @Test
  void aJobThatWasDecidedSinceItsSetUpIsFoundBehindLaterOnes() throws IOException {
    Instant setUp = store.now();
    LogEntry decided = decide(adds("job", DAY_1));
    log().end(decided, Ending.COMPLETE, EndNote.NOTHING);
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

    assertThat(log().tail().numbers()).as("all below are quiet").containsExactly(3L);
    assertThat(log().tailSince(later).numbers()).containsExactly(2L, 3L);
    endsOf(1_200);
    assertThat(log().tail().numbers()).doesNotContain(700L).contains(1_203L);
    assertThat(log().tailSince(later).numbers()).doesNotContain(1L).contains(2L, 3L);
    store.resetCounts();
    assertThat(log().tailDownTo(2).numbers())
        .containsExactlyElementsOf(LongStream.rangeClosed(2, 1_203).boxed().toList());
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 3L));
  }

  @Test
  void aResumeIsQuietByTimeOnceItsTargetHasEnded() throws IOException {
    LogEntry gone = decide(adds("gone", DAY_1));
    LogEntry diesToo = log().resume(gone, Duration.ofSeconds(90), log().tail());
    LogEntry second = log().resume(gone, Duration.ofSeconds(90), log().tail());
    log().end(second, Ending.COMPLETE, EndNote.NOTHING);
    assertThat(log().tail().notQuiet()).containsExactly(gone.number(), diesToo.number());
    assertThat(log().tail().isOver(diesToo)).isFalse();

    store.pass(Duration.ofMinutes(22));

    LogTail tail = log().tail();
    assertThat(tail.notQuiet()).as("what its name does not tell").containsExactly(diesToo.number());
    assertThat(tail.isOver(diesToo)).isTrue();
    assertThat(tail.unfinished()).containsExactly(diesToo.number());
  }
}
