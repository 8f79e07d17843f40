package io.zerorename.hive.matrix;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The cells that a build runs. */
final class Selection {
  private Selection() {}

  /**
   * So few cells that each shape is run, each format on each engine, each group on each engine and
   * in each of its formats. Greedy: the next cell is the one with the most of that is missing, of
   * equals one on the engine that was chosen less often.
   */
  static List<Cell> pairwise(List<Cell> all) {
    Set<String> missing = all.stream().flatMap(c -> pairs(c).stream()).collect(Collectors.toSet());
    Set<Cell> chosen = new HashSet<>();
    while (!missing.isEmpty()) {
      Cell next =
          all.stream()
              .max(
                  Comparator.<Cell>comparingLong(cell -> count(cell, missing))
                      .thenComparingLong(cell -> -onSameEngine(cell, chosen)))
              .orElseThrow();
      chosen.add(next);
      missing.removeAll(pairs(next));
    }
    return all.stream().filter(chosen::contains).toList();
  }

  private static long count(Cell cell, Set<String> missing) {
    return pairs(cell).stream().filter(missing::contains).count();
  }

  private static long onSameEngine(Cell cell, Set<Cell> chosen) {
    return chosen.stream().filter(other -> other.engine().equals(cell.engine())).count();
  }

  private static List<String> pairs(Cell cell) {
    List<String> pairs = new ArrayList<>();
    pairs.add(cell.shape().id());
    pairs.add(cell.format() + " " + cell.engine());
    pairs.add(cell.shape().group() + " " + cell.engine());
    pairs.add(cell.shape().group() + " " + cell.format());
    return pairs;
  }
}
