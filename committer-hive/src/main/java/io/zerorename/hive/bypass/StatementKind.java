package io.zerorename.hive.bypass;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hive.metastore.TableType;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.ddl.DDLWork;
import org.apache.hadoop.hive.ql.ddl.table.misc.truncate.TruncateTableDesc;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.hooks.WriteEntity;
import org.apache.hadoop.hive.ql.hooks.WriteEntity.WriteType;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * What a statement does to the files of its targets.
 *
 * @param operation Hive's name of the statement
 * @param change of the files of each target that is not overwritten
 * @param words the statement's name in messages, where it removes files
 */
record StatementKind(String operation, Change change, String words) {
  /** What becomes of the files that are there. */
  enum Change {
    /** They are removed or replaced. */
    REMOVE,
    /** They are removed, and the table with them. */
    DROP,
    /** Each row stays. Others may come, and files may be moved or rewritten. */
    KEEP
  }

  private static final String TRUNCATE = "TRUNCATETABLE";
  private static final String EXCHANGE = "ALTERTABLE_EXCHANGEPARTITION";
  private static final Set<String> QUERIES = Set.of("QUERY", "EXECUTE");

  /** All other statements change no files, or none of a table that the committer covers. */
  private static final Map<String, StatementKind> ALL =
      Stream.of(
              new StatementKind(TRUNCATE, Change.REMOVE, "TRUNCATE TABLE "),
              new StatementKind("ALTERTABLE_DROPPARTS", Change.REMOVE, "DROP PARTITION of "),
              new StatementKind("DROPTABLE", Change.DROP, "DROP TABLE "),
              new StatementKind("DROPDATABASE", Change.DROP, "DROP DATABASE with "),
              addingOrOverwriting("QUERY", "INSERT OVERWRITE of "),
              addingOrOverwriting("EXECUTE", "INSERT OVERWRITE of "),
              addingOrOverwriting("LOAD", "LOAD DATA OVERWRITE INTO "),
              keeping("IMPORT"),
              keeping("ALTERTABLE_MERGEFILES"),
              keeping("ALTERPARTITION_MERGEFILES"),
              keeping("ALTERTABLE_RENAME"),
              keeping("ALTERTABLE_RENAMEPART"),
              keeping("ALTERTABLE_LOCATION"),
              keeping("ALTERPARTITION_LOCATION"),
              keeping(EXCHANGE),
              keeping("ALTERTABLE_ARCHIVE"),
              keeping("MSCK"))
          .collect(toUnmodifiableMap(StatementKind::operation, identity()));

  private static StatementKind keeping(String operation) {
    return new StatementKind(operation, Change.KEEP, "");
  }

  /**
   * Keeps the rows of a target, unless it overwrites that: {@link #changeOf} finds out.
   *
   * @param overwriting its name where it does
   */
  private static StatementKind addingOrOverwriting(String operation, String overwriting) {
    return new StatementKind(operation, Change.KEEP, overwriting);
  }

  /** The kind of a planned statement; empty where it changes no files. */
  static Optional<StatementKind> of(QueryPlan plan) {
    if (plan.getOperation() == null) {
      return Optional.empty();
    }
    StatementKind kind = ALL.get(plan.getOperation().name());
    // With columns it rewrites files, and each row stays.
    return truncate(plan).filter(it -> it.getColumnIndexes() != null).isPresent()
        ? Optional.of(keeping(TRUNCATE))
        : Optional.ofNullable(kind);
  }

  /** The name of the table that a statement truncates whole. */
  static Optional<String> truncatedTable(QueryPlan plan) {
    return truncate(plan)
        .filter(it -> it.getColumnIndexes() == null && it.getPartSpec() == null)
        .map(TruncateTableDesc::getFullTableName);
  }

  private static Optional<TruncateTableDesc> truncate(QueryPlan plan) {
    return plan.getRootTasks().stream()
        .map(Task::getWork)
        .filter(DDLWork.class::isInstance)
        .map(work -> ((DDLWork) work).getDDLDesc())
        .filter(TruncateTableDesc.class::isInstance)
        .map(TruncateTableDesc.class::cast)
        .findFirst();
  }

  /** What becomes of the files of one target; empty where it is only described, as by ANALYZE. */
  Optional<Change> changeOf(WriteEntity target) {
    WriteType type = target.getWriteType();
    boolean isQuery = QUERIES.contains(operation);
    if (isQuery && (type == WriteType.DDL_SHARED || type == WriteType.DDL_NO_LOCK)) {
      return Optional.empty();
    }
    boolean overwrites =
        type == WriteType.INSERT_OVERWRITE || (isQuery && type == WriteType.PATH_WRITE);
    return Optional.of(change == Change.KEEP && overwrites ? Change.REMOVE : change);
  }

  /** Whether it moves the files of what it reads, which Hive does not name as a target. */
  boolean movesItsSource() {
    return operation.equals(EXCHANGE);
  }

  /** Whether it only forgets a table or partition: a DROP of an external table without purge. */
  boolean leavesFilesOf(Table table) {
    boolean drops = change == Change.DROP || operation.equals("ALTERTABLE_DROPPARTS");
    return drops
        && table.getTableType() != TableType.MANAGED_TABLE
        && !"true".equalsIgnoreCase(table.getProperty("external.table.purge"));
  }
}
