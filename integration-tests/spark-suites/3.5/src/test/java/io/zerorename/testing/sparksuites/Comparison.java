package io.zerorename.testing.sparksuites;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the tests of a suite did with zero-rename's commit protocol, and with Spark's own those that
 * did not do what is asked.
 *
 * @param ours the runs with zero-rename's commit protocol, by the test's name
 * @param stock runs with Spark's own, of {@link #doubtful} and excluded tests at least
 * @param excluded the names of tests of which nothing is asked, each of which must need it
 */
record Comparison(Map<String, TestRun> ours, Map<String, TestRun> stock, Set<String> excluded) {

  /** How many tests did what is asked. */
  long passed() {
    return included().filter(test -> passed(ours, test) && !isAside(test)).count();
  }

  /** Tests that did not, in this run. */
  List<String> doubtful() {
    return included().filter(test -> !passed(ours, test) || isAside(test)).toList();
  }

  /** Tests that passed with Spark's own and not with ours, with the reason. */
  List<String> lost() {
    return included()
        .filter(this::isLost)
        .map(test -> test + ": " + ours.get(test).message())
        .toList();
  }

  /**
   * Tests that passed with ours, which was not in charge: they left a file to be renamed out of a
   * directory of Spark's protocol.
   */
  List<String> stoodAside() {
    return included().filter(this::isAside).toList();
  }

  /** Excluded tests that do with ours what is asked, or that do not pass with Spark's own. */
  List<String> needlesslyExcluded() {
    return excluded.stream().filter(test -> !isLost(test) && !isAside(test)).sorted().toList();
  }

  /** Tests of which nothing can be said, because Spark's own protocol fails them too. */
  List<String> failedWithBoth() {
    return doubtful().stream().filter(test -> !passed(stock, test)).toList();
  }

  /** The same where a second run of tests decides. */
  Comparison again(Map<String, TestRun> oursAgain) {
    Map<String, TestRun> last = new LinkedHashMap<>(ours);
    last.putAll(oursAgain);
    return new Comparison(last, stock, excluded);
  }

  private Stream<String> included() {
    return ours.keySet().stream().filter(test -> !excluded.contains(test));
  }

  private boolean isLost(String test) {
    return !passed(ours, test) && passed(stock, test);
  }

  private boolean isAside(String test) {
    return passed(ours, test) && ours.get(test).requests().stagedCopies() > 0;
  }

  private static boolean passed(Map<String, TestRun> runs, String test) {
    return runs.containsKey(test) && runs.get(test).passed();
  }
}
