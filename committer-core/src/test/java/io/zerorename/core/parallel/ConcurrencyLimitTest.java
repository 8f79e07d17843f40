package io.zerorename.core.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.parallel.ConcurrencyLimit.Permit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ConcurrencyLimitTest {
  /** About as many attempts, with the pauses between them, take the time that a request has. */
  private static final int TWO_MINUTES = 20;

  @Test
  void itBeginsWithTheMaximumAndNeverExceedsIt() throws InterruptedException {
    ConcurrencyLimit limit = new ConcurrencyLimit(8);
    assertThat(limit.current()).isEqualTo(8);
    for (int i = 0; i < 100; i++) {
      limit.succeeded(limit.acquire());
    }
    assertThat(limit.current()).isEqualTo(8);
  }

  @Test
  void aThrottledRoundHalvesItOnce() throws InterruptedException {
    ConcurrencyLimit limit = new ConcurrencyLimit(8);
    List<Permit> round = acquire(limit, 8);
    round.forEach(limit::throttled);
    assertThat(limit.current()).isEqualTo(4);
    acquire(limit, 4).forEach(limit::throttled);
    assertThat(limit.current()).isEqualTo(2);
  }

  @Test
  void itIsHalvedFromWhatWasInFlightAndNeverBelowOne() throws InterruptedException {
    ConcurrencyLimit limit = new ConcurrencyLimit(256);
    acquire(limit, 10).forEach(limit::throttled);
    assertThat(limit.current()).isEqualTo(5);
    for (int i = 0; i < 10; i++) {
      limit.throttled(limit.acquire());
    }
    assertThat(limit.current()).isEqualTo(1);
  }

  @Test
  void aRoundOfSuccessesAddsOne() throws InterruptedException {
    ConcurrencyLimit limit = new ConcurrencyLimit(64);
    acquire(limit, 20).forEach(limit::throttled);
    for (int expected = 11; expected <= 30; expected++) {
      acquire(limit, limit.current()).forEach(limit::succeeded);
      // The sum of the n steps of a round is a little less than one.
      assertThat(limit.current()).isBetween(expected - 2, expected);
    }
  }

  @Test
  void successesFromBeforeAHalvingDoNotAdd() throws InterruptedException {
    ConcurrencyLimit limit = new ConcurrencyLimit(8);
    List<Permit> round = acquire(limit, 8);
    limit.throttled(round.get(0));
    for (Permit old : round.subList(1, 8)) {
      limit.succeeded(old);
    }
    limit.succeeded(limit.acquire());
    assertThat(limit.current()).isEqualTo(4);
  }

  @Test
  void anEndThatSaysNothingChangesNothing() throws InterruptedException {
    ConcurrencyLimit limit = new ConcurrencyLimit(4);
    acquire(limit, 4).forEach(limit::throttled);
    for (int i = 0; i < 100; i++) {
      limit.ended(limit.acquire());
    }
    assertThat(limit.current()).isEqualTo(2);
  }

  @Test
  void whoWaitsIsLetInInTheOrderOfArrival() throws InterruptedException {
    ConcurrencyLimit limit = new ConcurrencyLimit(1);
    Permit first = limit.acquire();
    Queue<Integer> order = new LinkedBlockingQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                try {
                  Permit permit = limit.acquire();
                  order.add(number);
                  limit.succeeded(permit);
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      threads.add(thread);
      thread.start();
      awaitWaiting(thread);
    }
    limit.succeeded(first);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(List.copyOf(order)).isSorted().hasSize(20);
  }

  @Test
  void anInterruptEndsTheWaitAndTheNextIsLetIn() throws InterruptedException {
    ConcurrencyLimit limit = new ConcurrencyLimit(1);
    Permit first = limit.acquire();
    List<Throwable> thrown = new ArrayList<>();
    Thread interrupted =
        new Thread(() -> assertThatThrownBy(limit::acquire).satisfies(thrown::add));
    interrupted.start();
    awaitWaiting(interrupted);
    Queue<Permit> next = new LinkedBlockingQueue<>();
    Thread patient =
        new Thread(
            () -> {
              try {
                next.add(limit.acquire());
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    patient.start();
    awaitWaiting(patient);
    interrupted.interrupt();
    interrupted.join();
    assertThat(thrown).singleElement().isInstanceOf(InterruptedException.class);
    assertThat(next).isEmpty();
    limit.succeeded(first);
    patient.join();
    assertThat(next).hasSize(1);
  }

  /**
   * A store that answers in 30 ms and takes 1,000 requests per second, or 100 more after a lull;
   * the time is simulated.
   */
  @Test
  void itFindsTheRateThatAStoreTakes() throws InterruptedException {
    int rate = 1_000;
    for (int threads : new int[] {64, 256}) {
      Simulation simulation = new Simulation(new ConcurrencyLimit(threads), threads, rate, 30);
      simulation.run(10_000);
      int takenAtFirst = simulation.taken;
      int refusedAtFirst = simulation.refused;
      simulation.run(60_000);
      int taken = simulation.taken - takenAtFirst;
      int refused = simulation.refused - refusedAtFirst;
      assertThat(taken).as("taken in 50 s").isBetween(50 * rate * 9 / 10, 51 * rate);
      assertThat(refused).as("refused in 50 s").isLessThan(taken / 100);
    }
  }

  /** Pauses alone let some requests meet refusal after refusal, at which their commit fails. */
  @Test
  void noRequestIsRefusedTooOftenByAStoreThatTakesFarLess() throws InterruptedException {
    Simulation adapting = new Simulation(new ConcurrencyLimit(64), 64, 100, 30);
    adapting.run(600_000);
    assertThat(adapting.mostAttempts).isLessThanOrEqualTo(TWO_MINUTES / 2);

    Simulation pausing = new Simulation(new ConcurrencyLimit(64), 64, 100, 30);
    pausing.adapts = false;
    pausing.run(600_000);
    assertThat(pausing.mostAttempts).isGreaterThan(TWO_MINUTES);
  }

  @Test
  void aStoreThatTakesAllIsUsedByAllThreads() throws InterruptedException {
    Simulation simulation = new Simulation(new ConcurrencyLimit(256), 256, 1_000_000, 30);
    simulation.run(3_000);
    assertThat(simulation.taken).isEqualTo(100 * 256);
    assertThat(simulation.refused).isZero();
  }

  private static List<Permit> acquire(ConcurrencyLimit limit, int count)
      throws InterruptedException {
    List<Permit> permits = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      permits.add(limit.acquire());
    }
    return permits;
  }

  private static void awaitWaiting(Thread thread) {
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  /** Threads that send one request after the other, in simulated milliseconds. */
  private static final class Simulation {
    private final ConcurrencyLimit limit;
    private final int rate;
    private final int latency;
    private final PriorityQueue<Event> events =
        new PriorityQueue<>((a, b) -> Long.compare(a.at(), b.at()));
    private double tokens;
    private long refilled;
    private long now;
    private final Random random = new Random(1);
    private boolean adapts = true;

    /** For each thread that waits, which attempt it is going to make. */
    private final Queue<Integer> ready;

    private int mostAttempts;
    private int inFlight;
    private int taken;
    private int refused;

    /**
     * @param permit of the request that is answered, or null where a pause ends
     */
    private record Event(long at, Permit permit, boolean good, int attempt) {}

    Simulation(ConcurrencyLimit limit, int threads, int rate, int latency) {
      this.limit = limit;
      this.ready = new ArrayDeque<>(Collections.nCopies(threads, 1));
      this.rate = rate;
      this.tokens = rate / 10.0;
      this.latency = latency;
    }

    void run(long until) throws InterruptedException {
      send();
      while (events.peek().at() <= until) {
        Event event = events.poll();
        now = event.at();
        if (event.permit() == null) {
          ready.add(event.attempt());
        } else {
          inFlight--;
          answer(event);
        }
        send();
      }
    }

    private void answer(Event event) {
      if (event.good()) {
        limit.succeeded(event.permit());
        taken++;
        ready.add(1);
        return;
      }
      if (adapts) {
        limit.throttled(event.permit());
      } else {
        limit.ended(event.permit());
      }
      refused++;
      long longest = Math.min(200L << Math.min(event.attempt() - 1, 20), 10_000);
      long pause = longest - random.nextInt((int) (longest - 199) / 2 + 1);
      events.add(new Event(now + pause, null, false, event.attempt() + 1));
    }

    private void send() throws InterruptedException {
      while (!ready.isEmpty() && inFlight < limit.current()) {
        Permit permit = limit.acquire();
        int attempt = ready.remove();
        mostAttempts = Math.max(mostAttempts, attempt);
        inFlight++;
        tokens = Math.min(rate / 10.0, tokens + (now - refilled) * rate / 1000.0);
        refilled = now;
        boolean good = tokens >= 1;
        if (good) {
          tokens--;
        }
        events.add(new Event(now + (good ? latency : latency / 3), permit, good, attempt));
      }
    }
  }
}
