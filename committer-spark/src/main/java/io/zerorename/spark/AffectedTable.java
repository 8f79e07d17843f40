package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.command.AlterTableDropPartitionCommand;
import org.apache.spark.sql.execution.command.AlterTableRenameCommand;
import org.apache.spark.sql.execution.command.AlterTableRenamePartitionCommand;
import org.apache.spark.sql.execution.command.AlterTableSetLocationCommand;
import org.apache.spark.sql.execution.command.DropTableCommand;
import org.apache.spark.sql.execution.command.LoadDataCommand;
import org.apache.spark.sql.execution.command.RepairTableCommand;
import org.apache.spark.sql.execution.command.TruncateTableCommand;
import scala.Option;

/**
 * A table on S3 whose files a statement changes without the commit protocol.
 *
 * @param words the statement's name in messages
 * @param partitions what the statement says of those that it changes; empty for the whole table
 */
record AffectedTable(
    String words,
    Change change,
    CatalogTable table,
    List<scala.collection.immutable.Map<String, String>> partitions) {
  private static final String STORAGE_HANDLER = "storage_handler";

  /** What becomes of the files that are there. */
  enum Change {
    /** They are removed or replaced. */
    REMOVE,
    /** They are removed, and the table with them. */
    DROP,
    /** They are replaced by files that are staged elsewhere; Trash may get the old ones. */
    REPLACE,
    /** Each row stays. Others may come, and files may be moved. */
    KEEP
  }

  AffectedTable {
    requireNonNull(words, "words");
    requireNonNull(change, "change");
    requireNonNull(table, "table");
    partitions = List.copyOf(partitions);
  }

  /** Empty where a statement changes no files, or none that the committer may have written. */
  static Optional<AffectedTable> of(LogicalPlan statement, SparkSession session)
      throws IOException {
    if (statement instanceof TruncateTableCommand it) {
      return of(
          "TRUNCATE TABLE ", Change.REMOVE, it.tableName(), list(it.partitionSpec()), session);
    }
    if (statement instanceof AlterTableDropPartitionCommand it) {
      return it.retainData()
          ? Optional.empty()
          : of(
                  "DROP PARTITION of ",
                  Change.REMOVE,
                  it.tableName(),
                  EitherScala.list(it, "specs"),
                  session)
              .filter(AffectedTable::isDroppedWithFiles);
    }
    if (statement instanceof DropTableCommand it) {
      return it.isView()
          ? Optional.empty()
          : of("DROP TABLE ", Change.DROP, it.tableName(), List.of(), session)
              .filter(AffectedTable::isDroppedWithFiles);
    }
    if (statement instanceof LoadDataCommand it) {
      return it.isOverwrite()
          ? of(
              "LOAD DATA OVERWRITE INTO ", Change.REMOVE, it.table(), list(it.partition()), session)
          : keeping("LOAD DATA INTO ", it.table(), session);
    }
    if (statement instanceof RepairTableCommand it) {
      return keeping("REPAIR TABLE ", it.tableName(), session);
    }
    if (statement instanceof AlterTableRenameCommand it) {
      return it.isView() ? Optional.empty() : keeping("RENAME of ", it.oldName(), session);
    }
    if (statement instanceof AlterTableRenamePartitionCommand it) {
      return keeping("RENAME PARTITION of ", it.tableName(), session);
    }
    if (statement instanceof AlterTableSetLocationCommand it) {
      return keeping("SET LOCATION of ", it.tableName(), session);
    }
    return Optional.empty();
  }

  private static <T> List<T> list(Option<T> option) {
    return option.isDefined() ? List.of(option.get()) : List.of();
  }

  private static Optional<AffectedTable> keeping(
      String words, TableIdentifier name, SparkSession session) throws IOException {
    return of(words, Change.KEEP, name, List.of(), session);
  }

  private static Optional<AffectedTable> of(
      String words,
      Change change,
      TableIdentifier name,
      List<scala.collection.immutable.Map<String, String>> partitions,
      SparkSession session)
      throws IOException {
    if (!isSwitchedOn(session) || name.database().isEmpty()) {
      // A view of the session alone has no database.
      return Optional.empty();
    }
    scala.collection.Seq<CatalogTable> tables =
        EitherScala.call(
            session.sessionState().catalog(), "getTablesByName", EitherScala.seq(List.of(name)));
    for (CatalogTable table : EitherScala.list(tables)) {
      if (holds(table, session.sessionState().newHadoopConf())) {
        return Optional.of(new AffectedTable(words, change, table, partitions));
      }
    }
    return Optional.empty();
  }

  /** Without the commit protocol no part of the committer does anything. */
  static boolean isSwitchedOn(SparkSession session) {
    return session
        .sessionState()
        .conf()
        .fileCommitProtocolClass()
        .equals(ZeroRenameCommitProtocol.class.getName());
  }

  /** Whether the committer may have written to a table. */
  static boolean holds(CatalogTable table, Configuration conf) throws IOException {
    return !table.tableType().equals(CatalogTableType.VIEW())
        && !isForeign(table)
        && !isTransactional(table)
        && S3AFileSystems.holds(new Path(table.location()), conf)
        && !ObjectKeys.isInDirectoryBucket(new Path(table.location()));
  }

  /** Whether it keeps its rows elsewhere than in files. */
  static boolean isForeign(CatalogTable table) {
    return table.storage().locationUri().isEmpty()
        || table.properties().contains(STORAGE_HANDLER)
        || table.storage().properties().contains(STORAGE_HANDLER);
  }

  /** Whether it is one of Hive's, which names its files by transactions. */
  static boolean isTransactional(CatalogTable table) {
    return isTrue(table, "transactional");
  }

  private boolean isDroppedWithFiles() {
    return table.tableType().equals(CatalogTableType.MANAGED())
        || isTrue(table, "external.table.purge");
  }

  private static boolean isTrue(CatalogTable table, String property) {
    return table.properties().getOrElse(property, () -> "").equalsIgnoreCase("true");
  }

  /** The statement and its table, for messages. */
  String description() {
    return words + table.identifier().unquotedString();
  }

  /** Of which the log is. */
  Path path() {
    return new Path(table.location());
  }

  /**
   * The directories in which files may be removed. With a whole table also partitions go that lie
   * elsewhere, so that each entry of its log counts.
   */
  Set<Path> within() {
    if (partitions.isEmpty()) {
      return Set.of(new Path(path(), "/"));
    }
    Set<Path> all = new LinkedHashSet<>();
    partitions.forEach(it -> all.addAll(directories(it)));
    return all;
  }

  private Set<Path> directories(scala.collection.immutable.Map<String, String> given) {
    Map<String, String> values = EitherScala.map(given);
    Map<String, String> named = new LinkedHashMap<>();
    Path prefix = path();
    boolean gap = false;
    List<String> columns = EitherScala.list(table, "partitionColumnNames");
    for (String column : columns) {
      Optional<String> name =
          values.keySet().stream().filter(it -> it.equalsIgnoreCase(column)).findFirst();
      if (name.isPresent()) {
        named.put(column, values.get(name.get()));
      }
      gap |= name.isEmpty();
      if (!gap) {
        prefix =
            new Path(
                prefix, ExternalCatalogUtils.getPartitionPathString(column, named.get(column)));
      }
    }
    Set<Path> all = new LinkedHashSet<>();
    HiveTableWrite.partitions(table, EitherScala.map(named))
        .forEach(it -> all.add(new Path(it.location())));
    if (all.isEmpty() || named.size() < columns.size()) {
      // One of an interrupted write is not in the catalog yet.
      all.add(prefix);
    }
    return all;
  }
}
