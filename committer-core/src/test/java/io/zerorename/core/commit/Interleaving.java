package io.zerorename.core.commit;

import io.zerorename.core.store.StoreException;
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

  /** One in so many calls lets a delayed request reach the store before it. */
  private static final int LATE_ONE_OF = 12;

  /**
   * What goes wrong with the calls of a process; 0 for never.
   *
   * @param crashAt number of the call before which it dies
   * @param loseAt number of the request to the store whose answer is lost
   * @param delayAt from which call on a change of the store is delayed, so that the process gets no
   *     answer, and it takes effect later
   */
  record Troubles(int crashAt, int loseAt, int delayAt) {
    static final Troubles NONE = new Troubles(0, 0, 0);

    /** The same without a delayed request. */
    Troubles inTime() {
      return new Troubles(crashAt, loseAt, 0);
    }
  }

  private record Late(Calls.Call call, Calls.Effect<?> effect) {}

  private static boolean mayBeLate(Calls.Call call) {
    return call.store() && call.changes();
  }

  private static StoreException noAnswer(Calls.Call call) {
    return new StoreException(
        StoreException.Kind.AMBIGUOUS, "planned: no answer to " + call.what());
  }

  /** A request that nobody waits for any more may fail as well as succeed. */
  private void takeLate(Late request) {
    try {
      request.effect().take();
      history.add("late: " + request.call().what());
    } catch (IOException e) {
      history.add("late, refused: " + request.call().what() + ": " + e.getMessage());
    }
    observer.observe(request.call());
  }

  private final class Player implements Calls {
    private final String name;
    private final Troubles troubles;
    private int made;
    private boolean delayed;
    private boolean dead;
    private boolean ready;

    Player(String name, Troubles troubles) {
      this.name = name;
      this.troubles = troubles;
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
        if (!late.isEmpty() && random.nextInt(LATE_ONE_OF) == 0) {
          takeLate(late.remove(0));
        }
        if (++made == troubles.crashAt()) {
          dead = true;
          history.add(name + " dies before " + call.what());
          throw new Crash();
        }
        if (made >= troubles.delayAt() && troubles.delayAt() > 0 && !delayed && mayBeLate(call)) {
          delayed = true;
          late.add(new Late(call, effect));
          history.add(name + ", delayed: " + call.what());
          throw noAnswer(call);
        }
        history.add(name + ": " + call.what());
        T result = effect.take();
        observer.observe(call);
        if (made == troubles.loseAt() && call.store()) {
          history.add(name + " gets no answer");
          throw noAnswer(call);
        }
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
  private final List<Late> late = new ArrayList<>();
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
   * @param troubles what goes wrong with its calls
   */
  void add(String name, Troubles troubles, Work work) {
    Player process = new Player(name, troubles);
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

  /** Lets all delayed requests reach the store. */
  synchronized void takeLate() {
    late.forEach(this::takeLate);
    late.clear();
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
