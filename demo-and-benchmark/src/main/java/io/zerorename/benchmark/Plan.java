package io.zerorename.benchmark;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Which trials of a benchmark are run, and how often.
 *
 * <p>What takes long is measured once: more rounds of it would cost the time of everything else,
 * and it does not vary by more than what is shown here.
 */
final class Plan {
  /** A trial that takes longer is measured once. */
  static final double ONCE_ABOVE_SECONDS = 30;

  /** A quick run leaves out what takes longer. */
  static final double QUICK_UP_TO_SECONDS = 45;

  private final BenchmarkOptions options;

  Plan(BenchmarkOptions options) {
    this.options = options;
  }

  /** The cases of a suite that are asked for, with the trials that are. */
  List<Case> of(Experiment experiment) {
    return experiment.cases().stream()
        .filter(each -> options.hasCase(each.name()))
        .map(
            each ->
                new Case(
                    each.name(),
                    each.latencyMillis(),
                    each.trials().stream().filter(this::isWanted).toList()))
        .filter(each -> !each.trials().isEmpty())
        .toList();
  }

  private boolean isWanted(Trial trial) {
    return options.hasSubject(trial.subject())
        && !(options.quick && trial.estimatedSeconds() > QUICK_UP_TO_SECONDS);
  }

  int rounds(Trial trial) {
    return trial.estimatedSeconds() > ONCE_ABOVE_SECONDS ? 1 : options.rounds;
  }

  /** An estimate for all rounds of some cases. */
  double sum(List<Case> cases, ToDoubleFunction<Trial> value) {
    return cases.stream()
        .flatMap(each -> each.trials().stream())
        .mapToDouble(trial -> rounds(trial) * value.applyAsDouble(trial))
        .sum();
  }
}
