package io.zerorename.hive.metastore;

import io.zerorename.core.log.RunId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.metastore.TableType;
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

  /** There if the table's files stay where a DROP takes the table away. */
  private static final String FILES_STAY = "hive.table.files.stay";

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
    if (kind == Kind.DIRECTORY) {
      return Map.of();
    }
    Map<String, String> attributes = new HashMap<>();
    attributes.put(TABLE, name());
    attributes.put(CREATED, current.map(InsertTarget::created).orElse(NOT_CREATED));
    if (current.filter(InsertTarget::isLeftByDrop).isPresent()) {
      attributes.put(FILES_STAY, "true");
    }
    return attributes;
  }

  /**
   * A run of an INSERT INTO a table that is there. Where a DROP takes the files, the next table of
   * that name is another target.
   *
   * @param destination the table's directory, or that of the partition which the statement names
   */
  public RunId run(String id, Path destination, String statement) {
    String which = table.filter(it -> !isLeftByDrop(it)).map(it -> " " + created(it)).orElse("");
    return new RunId(id, destination + which, statement);
  }

  /** The time at which a table was created, by which it is known from another of its name. */
  private static String created(Table table) {
    return Integer.toString(table.getTTable().getCreateTime());
  }

  /** Whether a DROP of a table, or of a partition of it, leaves the files: external, no purge. */
  public static boolean isLeftByDrop(Table table) {
    return table.getTableType() != TableType.MANAGED_TABLE
        && !"true".equalsIgnoreCase(table.getProperty("external.table.purge"));
  }

  /**
   * Whether a commit's table has gone, and this one taken its place with its files: the partitions
   * of the commit were that table's.
   *
   * @param attributes what the commit's plan says of its table
   */
  public static boolean hasTakenThePlace(Table current, Map<String, String> attributes) {
    return attributes.containsKey(FILES_STAY) && !created(current).equals(attributes.get(CREATED));
  }

  /**
   * Whether a commit is for this very table.
   *
   * @param attributes what the commit's plan says of its table
   */
  public boolean isOf(Map<String, String> attributes) {
    return name().equals(attributes.get(TABLE))
        && table.map(InsertTarget::created).equals(Optional.ofNullable(attributes.get(CREATED)));
  }

  /**
   * The table that a commit is for, if its files must not appear at this target: this is a
   * directory, or the commit's table was dropped with its files, and perhaps created again. Empty
   * if they may: a new table replaces them, and of a table whose files stay the next one at the
   * same place has the files.
   *
   * @param attributes what the commit's plan says of its table
   */
  public Optional<String> conflictingTable(Map<String, String> attributes) {
    // Not by its name, which may have changed.
    String created = attributes.get(CREATED);
    boolean mayAppear =
        created == null
            || kind == Kind.NEW_TABLE
            || (kind == Kind.TABLE
                && (attributes.containsKey(FILES_STAY)
                    || created.equals(table.map(InsertTarget::created).orElseThrow())));
    return mayAppear ? Optional.empty() : Optional.of(attributes.get(TABLE));
  }
}
