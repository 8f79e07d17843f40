package io.zerorename.hive.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A shape in a format on an engine. */
record Cell(Shape shape, Format format, String engine) {
  static final List<String> ENGINES = List.of("tez", "mr");

  /** Every cell, in the order of the results file. */
  static List<Cell> all() {
    List<Cell> cells = new ArrayList<>();
    for (Shape shape : ShapeReader.all()) {
      for (Format format : shape.formats()) {
        for (String engine : ENGINES) {
          cells.add(new Cell(shape, format, engine));
        }
      }
    }
    return cells;
  }

  /** Those of which there is something to compare with, in the same order. */
  static List<Cell> withResults() {
    Set<String> keys = Results.read().stream().map(CellResult::cell).collect(Collectors.toSet());
    return all().stream().filter(cell -> keys.contains(cell.key())).toList();
  }

  /** Among the cells of all Hive versions, but for the version. */
  String key() {
    return shape.id() + " " + format.key() + " " + engine;
  }

  /** For the names of databases and directories. */
  String name() {
    return "m_" + key().replaceAll("[ -]", "_");
  }

  @Override
  public String toString() {
    return key();
  }
}
