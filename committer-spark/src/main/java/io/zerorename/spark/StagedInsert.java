package io.zerorename.spark;

import io.zerorename.spark.AffectedTable.Change;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.hive.execution.InsertIntoHiveTable;

/**
 * An insert into a table of Hive's that keeps Spark's own plan: it commits files to a staging
 * directory, from which Hive's client moves them to the table.
 */
record StagedInsert(InsertIntoHiveTable insert, AffectedTable table) {
  /** It is not there in a Spark without Hive support. */
  private static final String COMMAND = "org.apache.spark.sql.hive.execution.InsertIntoHiveTable";

  /**
   * The one that stages its files in a directory, among those of a statement; empty where the
   * committer cannot have written to its table.
   */
  static Optional<StagedInsert> in(LogicalPlan plan, Path staging) throws IOException {
    if (plan.getClass().getName().equals(COMMAND)) {
      return of((InsertIntoHiveTable) plan, staging);
    }
    for (LogicalPlan child : EitherScala.<LogicalPlan>list(plan, "children")) {
      Optional<StagedInsert> insert = in(child, staging);
      if (insert.isPresent()) {
        return insert;
      }
    }
    return Optional.empty();
  }

  private static Optional<StagedInsert> of(InsertIntoHiveTable insert, Path staging)
      throws IOException {
    // With IF NOT EXISTS it replaces nothing.
    boolean replaces = insert.overwrite() && !insert.ifPartitionNotExists();
    return insert.hiveTmpPath().externalTempPath().equals(staging)
            && AffectedTable.holds(insert.table(), insert.hiveTmpPath().hadoopConf())
        ? Optional.of(
            new StagedInsert(
                insert,
                new AffectedTable(
                    replaces ? "INSERT OVERWRITE of " : "INSERT INTO ",
                    replaces ? Change.REPLACE : Change.KEEP,
                    insert.table(),
                    List.of())))
        : Optional.empty();
  }

  /** Completes earlier commits to the table, before the staged files are committed. */
  void begin(Configuration conf) throws IOException {
    BypassingStatement statement = new BypassingStatement(table, conf);
    if (insert.hiveTmpPath() instanceof WatchedStaging staging) {
      staging.begin(statement, table);
      return;
    }
    try (statement) {
      statement.begin();
    }
  }

  /** After that. */
  void staged(WrittenFiles written) {
    if (insert.hiveTmpPath() instanceof WatchedStaging staging) {
      staging.written(written);
    }
  }
}
