package io.zerorename.core.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.hadoop.util.StringUtils;

/** Lets simulated processes take turns: one at a time makes a call, and {@link Turns} say which. */
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

  /** A request that nobody waits for any more may fail as well as succeed. */
  private void takeLate(Calls.Late request) {
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
    private Calls.Call pending;
    private boolean dead;
    private boolean ready;

    Player(String name) {
      this.name = name;
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
        pending = call;
        awaitTurn(this);
        switch (turns.fate(new Turns.Waiting(name, call), Interleaving.this)) {
          case DIES -> {
            dead = true;
            history.add(name + " dies before " + call.what());
            throw new Crash();
          }
          case DELAYED -> {
            late.add(new Late(call, effect));
            history.add(name + ", delayed: " + call.what());
            throw Calls.noAnswer(call);
          }
          case DIES_DELAYED -> {
            late.add(new Late(call, effect));
            dead = true;
            history.add(name + " dies behind, delayed: " + call.what());
            throw new Crash();
          }
          case ANSWER_LOST -> {
            take(call, effect);
            history.add(name + " gets no answer");
            throw Calls.noAnswer(call);
          }
          case MADE -> {
            return take(call, effect);
          }
        }
        throw new AssertionError(call);
      }
    }

    private <T> T take(Call call, Effect<T> effect) throws IOException {
      history.add(name + ": " + call.what());
      T result = effect.take();
      observer.observe(call);
      return result;
    }
  }

  private final Turns turns;
  private final Observer observer;
  private final List<Player> alive = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<String> history = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final List<Calls.Late> late = new ArrayList<>();
  private Player running;

  Interleaving(Turns turns, Observer observer) {
    this.turns = turns;
    this.observer = observer;
  }

  /** Adds a process. */
  void add(String name, Work work) {
    Player process = new Player(name);
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
      failures.add(process.name + " failed: " + StringUtils.stringifyException(failure));
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
    List<Turns.Waiting> waiting =
        alive.stream().map(it -> new Turns.Waiting(it.name, it.pending)).toList();
    running = alive.get(turns.next(waiting, this));
    notifyAll();
  }

  /** Lets all delayed requests reach the store. */
  synchronized void takeLate() {
    while (hasLate()) {
      takeLate(call -> true);
    }
  }

  /** Whether a process that is alive is about to make a call of a kind. */
  synchronized boolean isAboutTo(Predicate<Calls.Call> kind) {
    return alive.stream().anyMatch(it -> it.ready && kind.test(it.pending));
  }

  /** Whether there are delayed requests. */
  synchronized boolean hasLate() {
    return !late.isEmpty();
  }

  /**
   * Lets the first delayed request of a kind reach the store.
   *
   * @return whether there is one
   */
  synchronized boolean takeLate(Predicate<Calls.Call> kind) {
    Optional<Calls.Late> request = late.stream().filter(it -> kind.test(it.call())).findFirst();
    request.ifPresent(
        it -> {
          late.remove(it);
          takeLate(it);
        });
    return request.isPresent();
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
