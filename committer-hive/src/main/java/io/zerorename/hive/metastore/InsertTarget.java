package io.zerorename.hive.metastore;

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
public record InsertTarget(Kind kind, Optional<Table> table, Path path) {
  private static final String TABLE = "hive.table";
  private static final String CREATED = "hive.table.created";

  /** Instead of a time: the statement creates the table when the files are in place. */
  private static final String NOT_CREATED = "0";

  /** How a target came to be. */
  public enum Kind {
    /** A table that is there. */
    TABLE,
    /** A table that the statement creates. */
    NEW_TABLE,
    /** A directory that belongs to no table. */
    DIRECTORY
  }

  public InsertTarget {
    requireNonNull(kind, "kind");
    requireNonNull(path, "path");
    if (table.isEmpty() != (kind == Kind.DIRECTORY)) {
      throw new IllegalArgumentException(kind + " with table " + table + " at " + path);
    }
  }

  public static InsertTarget table(Table table) {
    return new InsertTarget(Kind.TABLE, Optional.of(table), table.getPath());
  }

  public static InsertTarget newTable(Table table, Path path) {
    return new InsertTarget(Kind.NEW_TABLE, Optional.of(table), path);
  }

  public static InsertTarget directory(Path path) {
    return new InsertTarget(Kind.DIRECTORY, Optional.empty(), path);
  }

  /** A table's name, or a path. */
  public String name() {
    return table.map(Table::getFullyQualifiedName).orElseGet(path::toString);
  }

  public boolean isNewTable() {
    return kind == Kind.NEW_TABLE;
  }

  /** The statement in a person's words. */
  public String description(boolean overwrites) {
    return switch (kind) {
      case NEW_TABLE -> "CREATE TABLE AS SELECT of " + name();
      case DIRECTORY -> "INSERT OVERWRITE of directory " + name();
      case TABLE -> (overwrites ? "INSERT OVERWRITE of " : "INSERT INTO ") + name();
    };
  }

  /**
   * What a commit's plan says of its table.
   *
   * @param current the table as it is when the commit begins, if it is there
   */
  public Map<String, String> attributes(Optional<Table> current) {
    return kind == Kind.DIRECTORY
        ? Map.of()
        : Map.of(
            TABLE,
            name(),
            CREATED,
            current
                .map(it -> Integer.toString(it.getTTable().getCreateTime()))
                .orElse(NOT_CREATED));
  }

  /**
   * The table that a commit is for, if its files must not appear at this target: this is a
   * directory, or the commit's table was dropped, and perhaps created again. Empty if they may; a
   * new table replaces them.
   *
   * @param attributes what the commit's plan says of its table
   */
  public Optional<String> conflictingTable(Map<String, String> attributes) {
    // Not by its name, which may have changed.
    String created = attributes.get(CREATED);
    boolean mayAppear =
        created == null
            || kind == Kind.NEW_TABLE
            || (kind == Kind.TABLE && created.equals(attributes(table).get(CREATED)));
    return mayAppear ? Optional.empty() : Optional.of(attributes.get(TABLE));
  }
}
