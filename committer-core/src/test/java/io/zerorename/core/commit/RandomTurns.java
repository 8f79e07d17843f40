package io.zerorename.core.commit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** A seed decides. The same seed and the same processes make the same history. */
final class RandomTurns implements Turns {
  /** One in so many calls lets a delayed request reach the store before it. */
  private static final int LATE_ONE_OF = 12;

  /** What becomes of a Complete. */
  enum Joins {
    AT_ONCE,
    /** The store is at work on it for minutes, and the process gets no answer. */
    LATER,
    /** The same, and the process is gone. */
    LATER_AND_DIES
  }

  /**
   * What goes wrong with the calls of a process; 0 for never.
   *
   * @param crashAt number of the call before which it dies
   * @param loseAt number of the request to the store whose answer is lost
   * @param delayAt from which call on a change of the store is delayed, so that the process gets no
   *     answer, and it takes effect later
   * @param joins what becomes of its first Complete that the store can begin
   */
  record Troubles(int crashAt, int loseAt, int delayAt, Joins joins) {
    static final Troubles NONE = new Troubles(0, 0, 0, Joins.AT_ONCE);
  }

  private final Random random;
  private final double persistence;
  private final Map<String, Troubles> troubles = new HashMap<>();
  private final Map<String, Integer> made = new HashMap<>();
  private final Set<String> delayed = new HashSet<>();
  private final CompletesInProgress completing;
  private final Set<String> joined = new HashSet<>();
  private String last = "";

  /**
   * @param completing Completes that may take minutes
   */
  RandomTurns(long seed, CompletesInProgress completing) {
    this.completing = completing;
    this.random = new Random(seed);
    // From a change at almost every call to long runs of one process.
    this.persistence = List.of(0.0, 0.5, 0.9, 0.97).get(random.nextInt(4));
  }

  /** Has something go wrong with the calls of a process. */
  void trouble(String process, Troubles what) {
    troubles.put(process, what);
  }

  @Override
  public int next(List<Waiting> waiting, Interleaving processes) {
    int chosen = waiting.stream().map(Waiting::process).toList().indexOf(last);
    if (chosen < 0 || random.nextDouble() >= persistence) {
      chosen = random.nextInt(waiting.size());
    }
    last = waiting.get(chosen).process();
    return chosen;
  }

  @Override
  public Fate fate(Waiting chosen, Interleaving processes) {
    if (processes.hasLate() && random.nextInt(LATE_ONE_OF) == 0) {
      processes.takeLate(call -> !completing.isOf(call));
      completing.keys().stream().findFirst().ifPresent(key -> completing.end(key, processes));
    }
    Troubles its = troubles.getOrDefault(chosen.process(), Troubles.NONE);
    int number = made.merge(chosen.process(), 1, Integer::sum);
    Calls.Call call = chosen.call();
    if (number == its.crashAt()) {
      return Fate.DIES;
    }
    if (its.delayAt() > 0
        && number >= its.delayAt()
        && call.store()
        && call.changes()
        && delayed.add(chosen.process())) {
      return Fate.DELAYED;
    }
    if (its.joins() != Joins.AT_ONCE && completing.canBegin(call) && joined.add(chosen.process())) {
      completing.begin(call);
      return its.joins() == Joins.LATER ? Fate.DELAYED : Fate.DIES_DELAYED;
    }
    return number == its.loseAt() && call.store() ? Fate.ANSWER_LOST : Fate.MADE;
  }
}
