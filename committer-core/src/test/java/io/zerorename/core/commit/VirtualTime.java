package io.zerorename.core.commit;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Processes on a clock that moves from one event to the next: each request takes the same time, and
 * all else takes none. One of them is at work at a time, so that nothing depends on how quick the
 * machine is. A process sends one request at a time.
 */
final class VirtualTime {
  /** What a process does. */
  @FunctionalInterface
  interface Work {
    void run(Writer process) throws IOException;
  }

  private final Duration half;
  private final Consumer<Duration> passes;
  private final List<Writer> alive = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private Duration now = Duration.ZERO;

  /**
   * @param request how long each takes; it takes effect in the middle
   * @param passes is called with the time that passes
   */
  VirtualTime(Duration request, Consumer<Duration> passes) {
    this.half = request.dividedBy(2);
    this.passes = passes;
  }

  /** One that begins when the clock does. */
  final class Writer implements Calls {
    private final Semaphore turn = new Semaphore(0);
    private Duration wakes = Duration.ZERO;

    Duration now() {
      return now;
    }

    void sleepUntil(Duration time) {
      wakes = time.compareTo(now) < 0 ? now : time;
      wakeNext();
      turn.acquireUninterruptibly();
    }

    @Override
    public <T> T make(Call call, Effect<T> effect) throws IOException {
      if (!call.store()) {
        return effect.take();
      }
      sleepUntil(now.plus(half));
      try {
        return effect.take();
      } finally {
        sleepUntil(now.plus(half));
      }
    }

    private void run(Work work) {
      turn.acquireUninterruptibly();
      try {
        work.run(this);
      } catch (IOException | RuntimeException | Error e) {
        failures.add(e);
      } finally {
        alive.remove(this);
        wakeNext();
      }
    }
  }

  void add(Work work) {
    Writer process = new Writer();
    alive.add(process);
    threads.add(new Thread(() -> process.run(work), "process-" + alive.size()));
  }

  /** Runs all to their ends. */
  void run() throws InterruptedException {
    threads.forEach(Thread::start);
    wakeNext();
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.size() + " processes have failed", failures.get(0));
    }
  }

  /** By who is at work and will be no more; of several, the one that was added first. */
  private void wakeNext() {
    alive.stream()
        .min(Comparator.comparing(process -> process.wakes))
        .ifPresent(
            next -> {
              passes.accept(next.wakes.minus(now));
              now = next.wakes;
              next.turn.release();
            });
  }
}
