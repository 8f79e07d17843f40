package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * What an INSERT fills.
 *
 * @param kind how it came to be
 * @param table none for a directory; not known to the metastore yet, where the statement creates it
 * @param path of the table or the directory
 */
record InsertTarget(Kind kind, Optional<Table> table, Path path) {
  private static final String TABLE = "hive.table";
  private static final String CREATED = "hive.table.created";

  /** How a target came to be. */
  enum Kind {
    /** A table that is there. */
    TABLE,
    /** A table that the statement creates. */
    NEW_TABLE,
    /** A directory that belongs to no table. */
    DIRECTORY
  }

  InsertTarget {
    requireNonNull(kind, "kind");
    requireNonNull(path, "path");
    if (table.isEmpty() != (kind == Kind.DIRECTORY)) {
      throw new IllegalArgumentException(kind + " with table " + table + " at " + path);
    }
  }

  static InsertTarget table(Table table) {
    return new InsertTarget(Kind.TABLE, Optional.of(table), table.getPath());
  }

  static InsertTarget newTable(Table table, Path path) {
    return new InsertTarget(Kind.NEW_TABLE, Optional.of(table), path);
  }

  static InsertTarget directory(Path path) {
    return new InsertTarget(Kind.DIRECTORY, Optional.empty(), path);
  }

  /** A table's name, or a path. */
  String name() {
    return table.map(Table::getFullyQualifiedName).orElseGet(path::toString);
  }

  boolean isNewTable() {
    return kind == Kind.NEW_TABLE;
  }

  /** The statement in a person's words. */
  String description(boolean overwrites) {
    return switch (kind) {
      case NEW_TABLE -> "CREATE TABLE AS SELECT of " + name();
      case DIRECTORY -> "INSERT OVERWRITE of directory " + name();
      case TABLE -> (overwrites ? "INSERT OVERWRITE of " : "INSERT INTO ") + name();
    };
  }

  /** What a commit's plan says of its table. */
  Map<String, String> attributes() {
    return switch (kind) {
      case DIRECTORY -> Map.of();
      // When it will be created nobody knows yet.
      case NEW_TABLE -> Map.of(TABLE, name());
      case TABLE ->
          Map.of(
              TABLE,
              name(),
              CREATED,
              Integer.toString(table.orElseThrow().getTTable().getCreateTime()));
    };
  }

  /** The table of a plan with such attributes, if it is another than this or is gone since. */
  Optional<String> otherThan(Map<String, String> attributes) {
    // Not by its name, which may have changed.
    String created = attributes.get(CREATED);
    return created == null || created.equals(attributes().get(CREATED))
        ? Optional.empty()
        : Optional.of(attributes.get(TABLE));
  }
}
