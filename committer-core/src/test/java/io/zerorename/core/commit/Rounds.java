package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Lets requests pass in rounds that a test names: those of one round wait for each other, so that
 * they must be sent side by side, and nothing else may come before them. Where the code sends them
 * one after the other, the first waits in vain.
 */
final class Rounds implements Calls {
  /** Only guards against hanging. */
  private static final long LONGEST_MINUTES = 2;

  private final List<String> history = new ArrayList<>();
  private final Deque<List<String>> rounds = new ArrayDeque<>();
  private BooleanSupplier visible = () -> false;
  private boolean measuring;

  /** Requests of the current round that have not come, and those that have not ended. */
  private List<String> awaited = new ArrayList<>();

  private int underWay;
  private int round;
  private int untilVisible;

  /**
   * Begins to measure.
   *
   * @param when tells that what was written is visible
   * @param names of the requests of each round, with a bar between them
   */
  synchronized void expect(BooleanSupplier when, String... names) {
    visible = when;
    for (String each : names) {
      rounds.add(new ArrayList<>(Arrays.asList(each.split(" [|] "))));
    }
    measuring = true;
    awaited = rounds.remove();
  }

  /** How many rounds there were until it was visible. */
  synchronized int untilVisible() {
    return untilVisible;
  }

  /** Rounds until now. */
  synchronized int count() {
    return round;
  }

  /** Names of requests that were expected and did not come. */
  synchronized List<String> rest() {
    List<String> rest = new ArrayList<>(awaited);
    rounds.forEach(rest::addAll);
    return rest;
  }

  /** The store as it is seen through this. */
  ObjectStore of(InMemoryObjectStore store) {
    return SimulatedStore.of(store, this);
  }

  @Override
  public <T> T make(Call call, Effect<T> effect) throws IOException {
    if (!begin(call)) {
      return effect.take();
    }
    try {
      return effect.take();
    } finally {
      end();
    }
  }

  /** Returns false where nothing is measured. */
  private synchronized boolean begin(Call call) throws IOException {
    if (!measuring) {
      return false;
    }
    String name = name(call.what());
    while (awaited.isEmpty() && underWay > 0) {
      await(name);
    }
    if (awaited.isEmpty() && !rounds.isEmpty()) {
      awaited = rounds.remove();
    }
    if (!awaited.remove(name)) {
      throw new IOException(
          name + " came after " + history + ", and " + awaited + " was expected: " + call.what());
    }
    history.add(name);
    int own = round;
    underWay++;
    if (awaited.isEmpty()) {
      round++;
      notifyAll();
    }
    while (round == own) {
      await(name);
    }
    return true;
  }

  private void await(String name) throws IOException {
    try {
      long before = System.nanoTime();
      TimeUnit.MINUTES.timedWait(this, LONGEST_MINUTES);
      if (System.nanoTime() - before >= TimeUnit.MINUTES.toNanos(LONGEST_MINUTES)) {
        throw new IOException(name + " is not sent side by side with " + awaited);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private synchronized void end() {
    underWay--;
    if (untilVisible == 0 && visible.getAsBoolean()) {
      untilVisible = round;
    }
    notifyAll();
  }

  /** What a request is for, by its key. */
  private static String name(String what) {
    String type = what.substring(0, what.indexOf(' ')).toLowerCase(Locale.ROOT);
    String key = what.substring(what.indexOf(' ') + 1);
    List<String> of = new ArrayList<>();
    if (key.contains(".ended.")) {
      of.add("marker");
    } else if (key.contains("/log/")) {
      of.add("log");
    }
    if (key.contains(TimedCommits.T)) {
      of.add("file");
    }
    return type + " " + String.join(" and ", of);
  }
}
