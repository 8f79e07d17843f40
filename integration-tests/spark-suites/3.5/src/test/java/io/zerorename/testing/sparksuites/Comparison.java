package io.zerorename.testing.sparksuites;

import io.zerorename.testing.sparksuites.TestRun.Requests;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the tests of a suite did with Spark's own commit protocol, and with zero-rename's.
 *
 * @param stock the runs with Spark's own, by the test's name
 * @param ours the runs with zero-rename's commit protocol
 * @param excluded the names of tests of which nothing is asked, each of which must need it
 */
record Comparison(Map<String, TestRun> stock, Map<String, TestRun> ours, Set<String> excluded) {

  /** Tests that passed with Spark's own and not with ours, those that are excluded left out. */
  List<String> lost() {
    return included().filter(this::isLost).toList();
  }

  /** Why tests are lost. */
  List<String> reasons() {
    return lost().stream()
        .map(test -> test + ": " + ours.getOrDefault(test, TestRun.NONE).message())
        .toList();
  }

  /**
   * Tests that passed with both, but in which ours was not in charge: it wrote nothing to S3 where
   * Spark's own did, left a file to be renamed out of a directory of Spark's protocol, or has no
   * request for its log where Spark's own renamed.
   */
  List<String> stoodAside() {
    return included().filter(this::isAside).toList();
  }

  /** Excluded tests that do with ours what is asked, or that do not pass with Spark's own. */
  List<String> needlesslyExcluded() {
    return excluded.stream().filter(test -> !isLost(test) && !isAside(test)).sorted().toList();
  }

  /** Tests of which nothing can be said. */
  List<String> failedWithStock() {
    return stock.keySet().stream().filter(test -> !passed(stock, test)).toList();
  }

  /** The tests that are to be run again. */
  List<String> doubtful() {
    return included().filter(test -> isLost(test) || isAside(test)).toList();
  }

  /**
   * With second runs of doubtful tests: one counts as passed with Spark's own only where it passed
   * twice, and with ours where it passed at last.
   */
  Comparison again(Map<String, TestRun> stockAgain, Map<String, TestRun> oursAgain) {
    Map<String, TestRun> steady = new LinkedHashMap<>(stock);
    Map<String, TestRun> last = new LinkedHashMap<>(ours);
    for (String test : doubtful()) {
      if (!passed(stockAgain, test)) {
        steady.put(test, stockAgain.getOrDefault(test, TestRun.NONE));
      }
      last.put(test, oursAgain.getOrDefault(test, TestRun.NONE));
    }
    return new Comparison(steady, last, excluded);
  }

  static long passed(Map<String, TestRun> runs) {
    return runs.values().stream().filter(TestRun::passed).count();
  }

  static Requests requests(Map<String, TestRun> runs) {
    return runs.values().stream().map(TestRun::requests).reduce(Requests.NONE, Requests::plus);
  }

  private Stream<String> included() {
    return stock.keySet().stream().filter(test -> !excluded.contains(test));
  }

  private boolean isLost(String test) {
    return passed(stock, test) && !passed(ours, test);
  }

  private boolean isAside(String test) {
    if (!passed(stock, test) || !passed(ours, test)) {
      return false;
    }
    Requests before = stock.get(test).requests();
    Requests now = ours.get(test).requests();
    boolean wroteElsewhere = before.writes() > 0 && now.writes() == 0;
    boolean renamedWithoutLog = before.stagedCopies() > 0 && now.logged() == 0;
    return wroteElsewhere || renamedWithoutLog || now.stagedCopies() > 0;
  }

  private static boolean passed(Map<String, TestRun> runs, String test) {
    return runs.containsKey(test) && runs.get(test).passed();
  }
}
