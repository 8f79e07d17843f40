package io.zerorename.spark;

import io.zerorename.spark.AffectedTable.Change;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.hive.execution.InsertIntoHiveTable;

/**
 * An insert into a table of Hive's that keeps Spark's own plan: it commits files to a staging
 * directory, from which Hive's client moves them to the table.
 */
final class StagedInsert {
  /** It is not there in a Spark without Hive support. */
  private static final String COMMAND = "org.apache.spark.sql.hive.execution.InsertIntoHiveTable";

  private StagedInsert() {}

  /**
   * The table of the insert that stages its files in a directory, among those of a statement; empty
   * where the committer cannot have written to it.
   */
  static Optional<AffectedTable> in(LogicalPlan plan, Path staging) throws IOException {
    if (plan.getClass().getName().equals(COMMAND)) {
      return of((InsertIntoHiveTable) plan, staging);
    }
    for (LogicalPlan child : EitherScala.<LogicalPlan>list(plan, "children")) {
      Optional<AffectedTable> table = in(child, staging);
      if (table.isPresent()) {
        return table;
      }
    }
    return Optional.empty();
  }

  private static Optional<AffectedTable> of(InsertIntoHiveTable insert, Path staging)
      throws IOException {
    // With IF NOT EXISTS it replaces nothing.
    boolean replaces = insert.overwrite() && !insert.ifPartitionNotExists();
    return insert.hiveTmpPath().externalTempPath().equals(staging)
            && AffectedTable.holds(insert.table(), insert.hiveTmpPath().hadoopConf())
        ? Optional.of(
            new AffectedTable(
                replaces ? "INSERT OVERWRITE of " : "INSERT INTO ",
                replaces ? Change.REPLACE : Change.KEEP,
                insert.table(),
                List.of()))
        : Optional.empty();
  }
}
