package io.zerorename.spark;

import io.zerorename.spark.AffectedTable.Change;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.hive.execution.InsertIntoHiveTable;
import scala.Option;

/**
 * An insert into a table of Hive's that keeps Spark's own plan: it commits files to a staging
 * directory, from which Hive's client moves them to the table.
 */
record StagedInsert(InsertIntoHiveTable insert, AffectedTable table) {
  /** It is not there in a Spark without Hive support. */
  private static final String COMMAND = "org.apache.spark.sql.hive.execution.InsertIntoHiveTable";

  /**
   * The one of the running statement that stages its files in a directory; empty for any other
   * write, and where the committer cannot have written to its table.
   */
  static Optional<StagedInsert> in(Path staging) throws IOException {
    Optional<LogicalPlan> statement = RunningStatement.plan();
    Option<LogicalPlan> insert =
        statement.isEmpty() ? Option.empty() : statement.get().find(it -> isIn(it, staging));
    return insert.isDefined() ? of((InsertIntoHiveTable) insert.get()) : Optional.empty();
  }

  private static boolean isIn(LogicalPlan plan, Path staging) {
    return plan.getClass().getName().equals(COMMAND)
        && ((InsertIntoHiveTable) plan).hiveTmpPath().externalTempPath().equals(staging);
  }

  private static Optional<StagedInsert> of(InsertIntoHiveTable insert) throws IOException {
    // With IF NOT EXISTS it replaces nothing.
    boolean replaces = insert.overwrite() && !insert.ifPartitionNotExists();
    return AffectedTable.holds(insert.table(), insert.hiveTmpPath().hadoopConf())
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
