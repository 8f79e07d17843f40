package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.store.PutDeadlines;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How long the small files of another entry are waited for. */
class WriteLeaseWaitTest extends OpenCommits {
  private static final Duration WINDOW = PutDeadlines.WRITE_LEASE.plus(PutDeadlines.SETTLED);
  private static final Duration A_MOMENT = Duration.ofSeconds(10);

  private Duration waited = Duration.ZERO;

  /** What another process does meanwhile. */
  @FunctionalInterface
  private interface Meanwhile {
    void run() throws IOException;
  }

  private void await(LogEntry target, long below, Meanwhile meanwhile) throws IOException {
    new WriteLeaseWait(
            job.log(),
            (time, why) -> {
              waited = waited.plus(time);
              store.pass(time);
              try {
                meanwhile.run();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .await(target.number(), below);
  }

  private void await(LogEntry target) throws IOException {
    await(target, Long.MAX_VALUE, () -> {});
  }

  private LogEntry gone() throws IOException {
    return job.smallTask("a", "day=1/0").decideAndDie(Overwrite.none(), DEAD);
  }

  @Test
  void whereAllHaveEndedItCostsOneListing() throws IOException {
    LogEntry entry = gone();
    job.log().end(entry, Ending.COMPLETE, EndNote.NOTHING);
    store.resetCounts();

    await(entry);

    assertThat(waited).isZero();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L));
  }

  @Test
  void whoeverHasNotEndedIsWaitedForUntilItsWindowIsOver() throws IOException {
    LogEntry entry = gone();
    store.resetCounts();
    await(entry);
    assertThat(waited).isBetween(WINDOW.minus(A_MOMENT), WINDOW.plusMillis(1));
    assertThat(store.requests()).as("an entry never changes").containsEntry(RequestType.GET, 1L);
    waited = Duration.ZERO;
    await(entry);
    assertThat(waited).isZero();
  }

  @Test
  void anEndWithDoubtIsNone() throws IOException {
    LogEntry entry = gone();
    job.log().end(entry, Ending.DOUBTFUL, EndNote.NOTHING);
    await(entry);
    assertThat(waited).isGreaterThan(PutDeadlines.WRITE_LEASE);
  }

  @Test
  void itGoesOnAsSoonAsTheMarkerIsThere() throws IOException {
    LogEntry entry = gone();
    Duration when = Duration.ofSeconds(20);
    await(
        entry,
        Long.MAX_VALUE,
        () -> {
          if (waited.compareTo(when) >= 0) {
            job.log().end(entry, Ending.COMPLETE, EndNote.NOTHING);
          }
        });
    assertThat(waited).isBetween(when, when.plus(A_MOMENT));
  }

  @Test
  void whoResumesItCountsAsWellIfItsNumberIsLower() throws IOException {
    LogEntry entry = gone();
    store.pass(WINDOW);
    LogEntry resumed = job.log().resume(entry, PutDeadlines.WRITE_LEASE, job.log().tail());
    await(entry, resumed.number(), () -> {});
    assertThat(waited).as("it stands before the entry that waits").isZero();

    await(entry, resumed.number() + 1, () -> {});
    assertThat(waited).isGreaterThan(PutDeadlines.WRITE_LEASE);
  }

  @Test
  void whoResumesAnotherEntryDoesNotCount() throws IOException {
    LogEntry entry = gone();
    job.log().end(entry, Ending.COMPLETE, EndNote.NOTHING);
    LogEntry other =
        job("job-2").smallTask("a", "day=1/1").decideAndDie(Overwrite.none(), ELSEWHERE);
    job.log().resume(other, PutDeadlines.WRITE_LEASE, job.log().tail());
    await(entry);
    assertThat(waited).isZero();
  }

  @Test
  void whoHasNoSmallFilesHasNoWindow() throws IOException {
    LogEntry entry = job.task("a", "day=1/0").decideAndDie(Overwrite.none(), DEAD);
    await(entry);
    assertThat(waited).isZero();
  }

  @Test
  void anInterruptEndsIt() throws IOException {
    LogEntry entry = gone();
    WriteLeaseWait executors =
        new WriteLeaseWait(
            job.log(),
            (time, why) -> {
              throw new InterruptedIOException(why);
            });
    assertThatThrownBy(() -> executors.await(entry.number(), Long.MAX_VALUE))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessageContaining("small files of another commit were waited for");
  }
}
