package io.zerorename.core.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  private final StoreException slowDown =
      new StoreException(Kind.THROTTLED, "the store answers SlowDown (HTTP 503)");

  private final ObjectStore store = new InMemoryObjectStore("bucket");
  private final ConcurrencyLimit limit = new ConcurrencyLimit(8);
  private final SimulatedClock clock = new SimulatedClock();
  private int sent;

  private static final class SimulatedClock implements RetryPolicy.Clock {
    private Duration now = Duration.ofDays(1);
    private final List<Long> pauses = new ArrayList<>();

    @Override
    public Duration now() {
      return now;
    }

    @Override
    public void pause(Duration duration, String interrupted) throws InterruptedIOException {
      Pauses.pause(Duration.ZERO, interrupted);
      pauses.add(duration.toMillis());
      now = now.plus(duration);
    }
  }

  private RetryPolicy pace(Duration firstPause) {
    return new RetryPolicy(limit, firstPause, clock);
  }

  private String throttledTimes(int times) throws IOException {
    sent++;
    if (sent <= times) {
      throw slowDown;
    }
    return "done";
  }

  @Test
  void aThrottledRequestIsSentAgainAfterPausesThatGrow() throws IOException {
    String result = pace(Duration.ofMillis(100)).send(store, () -> throttledTimes(9));
    assertThat(result).isEqualTo("done");
    assertThat(sent).isEqualTo(10);
    long longest = 100;
    for (long pause : clock.pauses) {
      assertThat(pause).isBetween(longest / 2, longest);
      longest = Math.min(2 * longest, 10_000);
    }
    // Down to one, and up again by the last answer.
    assertThat(limit.current()).isEqualTo(2);
  }

  @Test
  void afterManyAttemptsItSaysWhatTheStoreSaidAndWhatToDo() {
    StoreException failure =
        catchThrowableOfType(
            StoreException.class,
            () -> pace(Duration.ZERO).send(store, () -> throttledTimes(Integer.MAX_VALUE)));
    assertThat(failure.kind()).isEqualTo(Kind.THROTTLED);
    assertThat(failure)
        .hasCause(slowDown)
        .hasMessageContaining("The bucket bucket takes too few requests")
        .hasMessageContaining("20 times in 0 seconds")
        .hasMessageContaining("zerorename.commit.threads")
        .hasMessageContaining("SlowDown (HTTP 503)");
    assertThat(sent).isEqualTo(RetryPolicy.ATTEMPTS);
  }

  @Test
  void afterMinutesItGivesUpHoweverFewTheAttempts() {
    assertThatThrownBy(
            () ->
                pace(Duration.ZERO)
                    .send(
                        store,
                        () -> {
                          // S3A's client has repeated it by itself for half a minute.
                          clock.now = clock.now.plusSeconds(31);
                          return throttledTimes(Integer.MAX_VALUE);
                        }))
        .hasMessageContaining("4 times in 124 seconds");
    assertThat(sent).isEqualTo(4);
  }

  @Test
  void everythingElseIsNotSentAgain() {
    for (Kind kind : Kind.values()) {
      if (kind != Kind.THROTTLED) {
        sent = 0;
        StoreException other = new StoreException(kind, "no");
        assertThatThrownBy(
                () ->
                    pace(Duration.ZERO)
                        .send(
                            store,
                            () -> {
                              sent++;
                              throw other;
                            }))
            .isSameAs(other);
        assertThat(sent).as(kind.toString()).isEqualTo(1);
      }
    }
    assertThat(limit.current()).isEqualTo(8);
  }

  @Test
  void anErrorFreesItsPlace() throws IOException {
    RetryPolicy pace = new RetryPolicy(new ConcurrencyLimit(1), Duration.ZERO, clock);
    assertThatThrownBy(
            () ->
                pace.send(
                    store,
                    () -> {
                      throw new IllegalStateException("a bug");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(pace.send(store, () -> "next")).isEqualTo("next");
  }

  @Test
  void anInterruptEndsAPauseAndStaysSet() {
    assertThatThrownBy(
            () ->
                pace(Duration.ofSeconds(1))
                    .send(
                        store,
                        () -> {
                          Thread.currentThread().interrupt();
                          throw slowDown;
                        }))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void anInterruptedThreadSendsNothing() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> pace(Duration.ZERO).send(store, () -> throttledTimes(0)))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(sent).isZero();
  }
}
