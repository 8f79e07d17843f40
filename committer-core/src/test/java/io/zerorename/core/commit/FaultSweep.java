package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.Fault.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Many runs with faults, how many there were, and the failures among them. */
final class FaultSweep {
  private static final int SHOWN_FAILURES = 25;

  private final LongAdder runs = new LongAdder();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final LongAdder secondStruck = new LongAdder();

  /** Strikes every call with every kind of fault, one in each run. */
  void everyFault(FaultScenario setting) {
    everyFault(setting, setting.kinds());
  }

  void everyFault(FaultScenario setting, Set<Kind> kinds) {
    int steps = run(setting, List.of());
    for (int step = 1; step <= steps; step++) {
      for (Kind kind : kinds) {
        run(setting, List.of(new Fault(step, kind)));
      }
    }
  }

  /**
   * Strikes every call with one kind of fault that does not last, the next call with the next kind.
   *
   * @param shift of the kinds, so that other settings strike the same call with other kinds
   */
  void oneFaultForEachCall(FaultScenario setting, int shift) {
    List<Kind> kinds = setting.kinds().stream().filter(kind -> !kind.lasts()).toList();
    int steps = run(setting, List.of());
    for (int step = 1; step <= steps; step++) {
      Kind kind = kinds.get((step + shift) % kinds.size());
      run(setting, List.of(new Fault(step, kind)));
    }
    if (steps < kinds.size()) {
      failures.add(setting + " has too few calls to try each of " + kinds + ": " + steps);
    }
  }

  /** Strikes two calls in each run. */
  void pairs(FaultScenario setting) {
    int steps = run(setting, List.of());
    List<List<Fault>> pairs = new ArrayList<>();
    for (Kind first : EnumSet.of(Kind.LOST_AFTER, Kind.CRASH_AFTER)) {
      for (Kind second : EnumSet.of(Kind.LOST_AFTER, Kind.CRASH_BEFORE)) {
        for (int i = 1; i <= steps; i++) {
          // The first fault may lead to more calls than there are without it.
          for (int j = i + 1; j <= steps + 10; j++) {
            pairs.add(List.of(new Fault(i, first), new Fault(j, second)));
          }
        }
      }
    }
    pairs.parallelStream().forEach(pair -> run(setting, pair));
  }

  /** Returns the number of steps; 0 after a failure. */
  private int run(FaultScenario setting, List<Fault> faults) {
    FaultRun run = setting.begin(faults);
    runs.increment();
    int steps;
    try {
      steps = run.run();
    } catch (AssertionError e) {
      failures.add(e.getMessage());
      return 0;
    }
    List<Fault> struck = faults.stream().filter(run::hasStruck).toList();
    if (struck.size() == 2) {
      secondStruck.increment();
    }
    // A second one does not strike where the first has led to fewer calls.
    if (!faults.isEmpty() && !struck.contains(faults.get(0))) {
      failures.add(run + ": the fault did not strike");
    }
    return steps;
  }

  /** Fails where a run has failed, or where there were fewer of them than there must be. */
  void assertPassed(long minRuns) {
    List<String> all = List.copyOf(failures);
    assertThat(all.subList(0, Math.min(SHOWN_FAILURES, all.size())))
        .as(all.size() + " failing runs")
        .isEmpty();
    assertThat(runs.sum()).as("runs").isGreaterThanOrEqualTo(minRuns);
  }

  /** How many runs were struck twice. */
  long secondStruck() {
    return secondStruck.sum();
  }
}
