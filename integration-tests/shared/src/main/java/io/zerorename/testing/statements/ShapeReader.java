package io.zerorename.testing.statements;

import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Reads the shapes from {@code src/test/resources/matrix/*.sql} of the Hive tests. Each file is one
 * group.
 *
 * <pre>
 * -- group: its heading
 * -- formats: of those of its shapes that name none
 *
 * -- shape: id
 * -- title: what the support table calls it
 * -- rows: in all tables, after the last statement
 * -- formats: orc text              (optional)
 * -- set: key=value                 (optional, repeated)
 * -- stock: scratch                 (optional, see {@link Shape#stockOnScratch})
 * -- why: for who reads the file     (optional)
 * create external table t …;
 * -- run
 * insert into t …;
 * </pre>
 *
 * A statement ends with the semicolon at the end of a line.
 */
public final class ShapeReader {
  private static final String DIRECTORY = "integration-tests/hive/src/test/resources/matrix";
  private static final String PREFIX = "-- ";

  private final List<Shape> shapes = new ArrayList<>();
  private final Map<String, String> ofGroup = new LinkedHashMap<>();
  private final Map<String, String> ofShape = new LinkedHashMap<>();
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final List<String> setup = new ArrayList<>();
  private final List<String> runs = new ArrayList<>();
  private final StringBuilder statement = new StringBuilder();
  private boolean running;

  private ShapeReader() {}

  /** All shapes, in the order of the support table. */
  public static List<Shape> all() {
    try (Stream<Path> files = Files.list(SourceTree.root().resolve(DIRECTORY))) {
      return files.sorted().flatMap(file -> read(file).stream()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Shape> read(Path file) {
    ShapeReader reader = new ShapeReader();
    try {
      for (String line : Files.readAllLines(file)) {
        reader.accept(line);
      }
      reader.endShape();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      throw new IllegalStateException("Cannot read the shapes of " + file, e);
    }
    return reader.shapes;
  }

  private void accept(String line) {
    if (line.equals(PREFIX + "run")) {
      running = true;
    } else if (line.startsWith(PREFIX)) {
      String[] parts = line.substring(PREFIX.length()).split(": ", 2);
      directive(parts[0], parts[1]);
    } else if (!line.isBlank()) {
      statement.append(statement.isEmpty() ? "" : " ").append(line.strip());
      if (line.endsWith(";")) {
        statement.setLength(statement.length() - 1);
        (running ? runs : setup).add(statement.toString());
        statement.setLength(0);
      }
    }
  }

  private void directive(String name, String value) {
    if (name.equals("shape")) {
      endShape();
    }
    if (name.equals("set")) {
      String[] setting = value.split("=", 2);
      settings.put(setting[0], setting[1]);
    } else if (ofShape.isEmpty() && !name.equals("shape")) {
      ofGroup.put(name, value);
    } else {
      ofShape.put(name, value);
    }
  }

  private void endShape() {
    if (!ofShape.isEmpty()) {
      String formats = ofShape.getOrDefault("formats", ofGroup.get("formats"));
      shapes.add(
          new Shape(
              ofGroup.get("group"),
              ofShape.get("shape"),
              ofShape.get("title"),
              Arrays.stream(formats.split(" ")).map(Format::of).toList(),
              settings,
              ofShape.getOrDefault("stock", "").equals("scratch"),
              Integer.parseInt(ofShape.get("rows")),
              setup,
              runs));
    }
    ofShape.clear();
    settings.clear();
    setup.clear();
    runs.clear();
    running = false;
  }
}
