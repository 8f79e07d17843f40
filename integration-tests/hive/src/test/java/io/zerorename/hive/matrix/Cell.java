package io.zerorename.hive.matrix;

import io.zerorename.testing.statements.Format;
import io.zerorename.testing.statements.Shape;
import io.zerorename.testing.statements.ShapeReader;
import java.util.ArrayList;
import java.util.List;

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
