package io.zerorename.hive.matrix;

import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The cells that every build runs: each shape once, each format, and both engines alike. */
final class Selection {
  private final Set<Cell> chosen = new HashSet<>();

  private Selection() {}

  /** In the order of the support table. */
  static List<Cell> ofOrdinaryBuild() {
    Selection selection = new Selection();
    List<Cell> all = Cell.all();
    // Those that can choose among many formats choose last, and take what is missing.
    ShapeReader.all().stream()
        .sorted(Comparator.comparingInt(shape -> shape.formats().size()))
        .forEach(shape -> selection.add(all, cell -> cell.shape().equals(shape)));
    for (Format format : EnumSet.complementOf(EnumSet.copyOf(selection.formats()))) {
      selection.add(all, cell -> cell.format() == format);
    }
    return all.stream().filter(selection.chosen::contains).toList();
  }

  /** One more, the cheapest, in a format and on an engine that fewer others are of. */
  private void add(List<Cell> all, Predicate<Cell> which) {
    all.stream()
        .filter(which)
        .min(
            Comparator.<Cell>comparingInt(cell -> cell.shape().runs().size())
                .thenComparingInt(cell -> Collections.frequency(formats(), cell.format()))
                .thenComparingInt(cell -> statements(cell.engine())))
        .ifPresent(chosen::add);
  }

  private List<Format> formats() {
    return chosen.stream().map(Cell::format).toList();
  }

  private int statements(String engine) {
    return chosen.stream()
        .filter(cell -> cell.engine().equals(engine))
        .mapToInt(cell -> cell.shape().runs().size())
        .sum();
  }
}
