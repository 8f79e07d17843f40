package io.zerorename.core.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Lets simulated processes take turns: one at a time makes a call, and a seed decides which. The
 * same seed and the same processes make the same history.
 */
final class Interleaving {
  /** What a process does. */
  @FunctionalInterface
  interface Work {
    /**
     * @param crashed whether the process has; what it says afterwards, nobody hears
     */
    void run(Calls calls, BooleanSupplier crashed) throws IOException;
  }

  /** Called between two calls, with no process at work. */
  @FunctionalInterface
  interface Observer {
    void observe(Calls.Call call);
  }

  /** The end of a process: it makes no further call. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
      super("the process has crashed", null, false, false);
    }
  }

  private final class Player implements Calls {
    private final String name;
    private final int crashAt;
    private int made;
    private boolean dead;
    private boolean ready;

    Player(String name, int crashAt) {
      this.name = name;
      this.crashAt = crashAt;
    }

    private boolean hasCrashed() {
      synchronized (Interleaving.this) {
        return dead;
      }
    }

    @Override
    public <T> T make(Call call, Effect<T> effect) throws IOException {
      synchronized (Interleaving.this) {
        if (dead) {
          throw new Crash();
        }
        awaitTurn(this);
        if (++made == crashAt) {
          dead = true;
          history.add(name + " dies before " + call.what());
          throw new Crash();
        }
        history.add(name + ": " + call.what());
        T result = effect.take();
        observer.observe(call);
        return result;
      }
    }
  }

  private final Random random;
  private final double persistence;
  private final Observer observer;
  private final List<Player> alive = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<String> history = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private Player running;
  private Player last;

  Interleaving(long seed, Observer observer) {
    this.random = new Random(seed);
    // From a change at almost every call to long runs of one process.
    this.persistence = List.of(0.0, 0.5, 0.9, 0.97).get(random.nextInt(4));
    this.observer = observer;
  }

  /**
   * Adds a process.
   *
   * @param crashAt number of the call before which it dies; 0 where it lives
   */
  void add(String name, int crashAt, Work work) {
    Player process = new Player(name, crashAt);
    alive.add(process);
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run(process, process::hasCrashed);
              } catch (IOException | RuntimeException | Error e) {
                fail(process, e);
              } finally {
                end(process);
              }
            },
            name);
    thread.setDaemon(true);
    threads.add(thread);
  }

  private synchronized void fail(Player process, Throwable failure) {
    if (!process.dead) {
      failures.add(process.name + " failed: " + failure);
    }
  }

  /** Runs all to their ends. */
  void run() throws InterruptedException {
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void awaitTurn(Player process) {
    process.ready = true;
    if (running == process) {
      running = null;
    }
    chooseNext();
    boolean interrupted = false;
    while (running != process) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    process.ready = false;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void end(Player process) {
    alive.remove(process);
    if (running == process) {
      running = null;
    }
    chooseNext();
  }

  /** Only once every process waits for its turn, so that their threads' speeds mean nothing. */
  private void chooseNext() {
    if (running != null || alive.isEmpty() || !alive.stream().allMatch(it -> it.ready)) {
      return;
    }
    boolean goOn = alive.contains(last) && random.nextDouble() < persistence;
    running = goOn ? last : alive.get(random.nextInt(alive.size()));
    last = running;
    notifyAll();
  }

  /** What was called, by whom, in order. */
  List<String> history() {
    return history;
  }

  /** What processes have failed with that did not crash. */
  List<String> failures() {
    return failures;
  }
}
