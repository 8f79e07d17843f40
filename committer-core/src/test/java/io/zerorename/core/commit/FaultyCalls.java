package io.zerorename.core.commit;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The calls of one run of which some go wrong. They are counted over all processes of the run, one
 * of which is at work at a time.
 */
final class FaultyCalls {
  /** What a process does. */
  @FunctionalInterface
  interface Work<T> {
    T run(Calls calls) throws IOException;
  }

  /** What other processes do while one sleeps. */
  @FunctionalInterface
  interface Others {
    /**
     * @param overwrite whether another job overwrites the table as well
     */
    void work(boolean overwrite) throws IOException;
  }

  private final Map<Integer, Kind> faults;
  private final Others others;
  private final Consumer<Calls.Call> observer;
  private final List<Calls.Late> late = new ArrayList<>();
  private final List<String> struck = new ArrayList<>();
  private final Set<Integer> struckSteps = new HashSet<>();
  private int steps;

  /**
   * @param observer is told each call that has taken effect, also a late one
   */
  FaultyCalls(List<Fault> faults, Others others, Consumer<Calls.Call> observer) {
    this.faults = faults.stream().collect(Collectors.toMap(Fault::step, Fault::kind));
    this.others = others;
    this.observer = observer;
  }

  /** A crashed process, seen from inside, and one that is yet to crash. */
  private final class Victim implements Calls {
    private boolean dead;
    private Kind lasting;

    @Override
    public <T> T make(Call call, Effect<T> effect) throws IOException {
      if (dead) {
        throw new Crash();
      }
      steps++;
      Kind kind = faults.get(steps);
      if (kind == null) {
        return lasting != null && call.store() ? unanswered(call, effect) : taken(call, effect);
      }
      struckSteps.add(steps);
      struck.add(kind + " at step " + steps + ": " + call.what());
      switch (kind) {
        case REFUSED -> throw refused(call);
        case LOST_BEFORE -> throw Calls.noAnswer(call);
        case LOST_AFTER -> {
          taken(call, effect);
          throw Calls.noAnswer(call);
        }
        case OUTAGE, ANSWERS_LOST -> {
          lasting = kind;
          return call.store() ? unanswered(call, effect) : taken(call, effect);
        }
        case LOST_LATE, LOST_LATE_OVERWRITE -> {
          late.add(new Late(call, effect));
          throw Calls.noAnswer(call);
        }
        case CRASH_BEFORE -> {
          dead = true;
          throw new Crash();
        }
        case CRASH_AFTER, CRASH_RESTART -> {
          taken(call, effect);
          dead = true;
          throw new Crash();
        }
        case CRASH_LATE, CRASH_LATE_OVERWRITE -> {
          late.add(new Late(call, effect));
          dead = true;
          throw new Crash();
        }
        case STALL, STALL_OVERWRITE -> {
          others.work(kind == Kind.STALL_OVERWRITE);
          return taken(call, effect);
        }
      }
      throw new AssertionError(kind);
    }

    private <T> T unanswered(Call call, Effect<T> effect) throws IOException {
      if (lasting == Kind.ANSWERS_LOST) {
        taken(call, effect);
      }
      throw Calls.noAnswer(call);
    }
  }

  private <T> T taken(Calls.Call call, Calls.Effect<T> effect) throws IOException {
    T result = effect.take();
    observer.accept(call);
    return result;
  }

  private static IOException refused(Calls.Call call) {
    String message = "planned: " + call.what() + " is refused";
    return call.store()
        ? new StoreException(StoreException.Kind.ACCESS_DENIED, message)
        : new IOException(message);
  }

  /**
   * Lets a new process work.
   *
   * @return what it says; empty where it has died
   */
  <T> Optional<T> process(Work<T> work) throws IOException {
    Victim process = new Victim();
    try {
      T result = work.run(process);
      // Code under test may take a crash for a failed call.
      return process.dead ? Optional.empty() : Optional.of(result);
    } catch (Calls.Crash e) {
      if (!process.dead) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /**
   * Lets the requests take effect that were delayed. One whose sender has ended may fail as well as
   * succeed.
   *
   * @param which of them; the others never arrive
   * @return whether there were any
   */
  boolean takeLate(Predicate<Calls.Call> which) {
    late.removeIf(request -> !which.test(request.call()));
    for (Calls.Late request : late) {
      try {
        taken(request.call(), request.effect());
        struck.add("late effect");
      } catch (IOException e) {
        struck.add("late failure: " + e.getMessage());
      }
    }
    return !late.isEmpty();
  }

  boolean have(Kind kind) {
    return faults.containsValue(kind);
  }

  /** Whether a late request is to come behind an overwrite. */
  boolean areLateBehindAnOverwrite() {
    return faults.values().stream().anyMatch(kind -> kind.isLate() && kind.overwrites());
  }

  /** Whether processes sleep, and nothing else goes wrong. */
  boolean onlyStall() {
    return faults.values().stream().allMatch(Kind::stalls);
  }

  /** How many calls were made. */
  int steps() {
    return steps;
  }

  /** Whether the call was made that a fault is planned for. */
  boolean hasStruck(Fault fault) {
    return struckSteps.contains(fault.step());
  }

  /** What has gone wrong, in a person's words. */
  List<String> struck() {
    return struck;
  }

  @Override
  public String toString() {
    return faults + " " + struck;
  }
}
