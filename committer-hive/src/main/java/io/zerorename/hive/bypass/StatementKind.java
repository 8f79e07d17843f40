package io.zerorename.hive.bypass;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toUnmodifiableMap;

import io.zerorename.hive.metastore.InsertTarget;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.ddl.DDLWork;
import org.apache.hadoop.hive.ql.ddl.table.AbstractAlterTableDesc;
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
  private static final String DROP_PARTITION = "ALTERTABLE_DROPPARTS";
  private static final String CONVERT = "ALTERTABLE_CONVERT";
  private static final String SET_PROPERTIES = "ALTERTABLE_PROPERTIES";

  /** Properties of a table that say by which rules its files are read. */
  private static final Set<String> OF_FORMAT =
      Set.of("storage_handler", "transactional", "transactional_properties");

  private static final Set<String> QUERIES = Set.of("QUERY", "EXECUTE");

  /** All other statements change no files, or none of a table that the committer covers. */
  private static final Map<String, StatementKind> ALL =
      Stream.of(
              new StatementKind(TRUNCATE, Change.REMOVE, "TRUNCATE TABLE "),
              new StatementKind(DROP_PARTITION, Change.REMOVE, "DROP PARTITION of "),
              new StatementKind("DROPTABLE", Change.DROP, "DROP TABLE "),
              new StatementKind("DROPDATABASE", Change.DROP, "DROP DATABASE with "),
              // These keep the rows of a target unless they overwrite it: changeOf finds out.
              new StatementKind("QUERY", Change.KEEP, "INSERT OVERWRITE of "),
              new StatementKind("EXECUTE", Change.KEEP, "INSERT OVERWRITE of "),
              new StatementKind("LOAD", Change.KEEP, "LOAD DATA OVERWRITE INTO "),
              keeping("IMPORT"),
              keeping("ALTERTABLE_MERGEFILES"),
              keeping("ALTERPARTITION_MERGEFILES"),
              keeping("ALTERTABLE_RENAME"),
              keeping("ALTERTABLE_RENAMEPART"),
              keeping("ALTERTABLE_LOCATION"),
              keeping("ALTERPARTITION_LOCATION"),
              keeping(EXCHANGE),
              keeping("ALTERTABLE_ARCHIVE"),
              keeping(CONVERT),
              keeping(SET_PROPERTIES),
              keeping("MSCK"))
          .collect(toUnmodifiableMap(StatementKind::operation, identity()));

  private static StatementKind keeping(String operation) {
    return new StatementKind(operation, Change.KEEP, "");
  }

  /** The kind of a planned statement; empty where it changes no files. */
  static Optional<StatementKind> of(QueryPlan plan) {
    if (plan.getOperation() == null) {
      return Optional.empty();
    }
    StatementKind kind = ALL.get(plan.getOperation().name());
    if (kind != null && kind.operation.equals(SET_PROPERTIES) && !setsFormat(plan)) {
      return Optional.empty();
    }
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
    return described(plan, TruncateTableDesc.class);
  }

  private static boolean setsFormat(QueryPlan plan) {
    return described(plan, AbstractAlterTableDesc.class)
        .filter(it -> it.getProps() != null)
        .filter(
            it ->
                it.getProps().keySet().stream()
                    .anyMatch(name -> OF_FORMAT.contains(name.toLowerCase(Locale.ROOT))))
        .isPresent();
  }

  private static <T> Optional<T> described(QueryPlan plan, Class<T> type) {
    return plan.getRootTasks().stream()
        .map(Task::getWork)
        .filter(DDLWork.class::isInstance)
        .map(work -> ((DDLWork) work).getDDLDesc())
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst();
  }

  /** What becomes of the files of one target; empty where it is only described, as by ANALYZE. */
  Optional<Change> changeOf(WriteEntity target) {
    Table table = AffectedTarget.tableOf(target);
    if (operation.equals(DROP_PARTITION) && table != null && InsertTarget.isLeftByDrop(table)) {
      // What is registered by then is dropped; recovery would register the rest after the DROP.
      return Optional.of(Change.KEEP);
    }
    WriteType type = target.getWriteType();
    boolean isQuery = QUERIES.contains(operation);
    if (isQuery && (type == WriteType.DDL_SHARED || type == WriteType.DDL_NO_LOCK)) {
      return Optional.empty();
    }
    boolean overwrites =
        type == WriteType.INSERT_OVERWRITE || (isQuery && type == WriteType.PATH_WRITE);
    return Optional.of(change == Change.KEEP && overwrites ? Change.REMOVE : change);
  }

  /** Whether it changes the files of what it reads, which Hive does not name as a target. */
  boolean changesItsSource() {
    return operation.equals(EXCHANGE) || operation.equals(CONVERT);
  }

  /** Whether it only forgets a table: a DROP of an external table without purge. */
  boolean leavesFilesOf(Table table) {
    return change == Change.DROP && InsertTarget.isLeftByDrop(table);
  }
}
