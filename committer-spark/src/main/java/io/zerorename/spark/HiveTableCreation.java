package io.zerorename.spark;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.hive.execution.CreateHiveTableAsSelectCommand;

/**
 * A CREATE TABLE AS SELECT of a Hive table. Spark makes the table, and then executes an INSERT INTO
 * of its own, which does not say where it comes from. If that fails, Spark drops the table.
 */
final class HiveTableCreation {
  private static final String ROOT_ID = "spark.sql.execution.root.id";

  /** It is not there in a Spark without Hive support. */
  private static final String COMMAND =
      "org.apache.spark.sql.hive.execution.CreateHiveTableAsSelectCommand";

  private HiveTableCreation() {}

  /**
   * Whether such a statement executes an insert.
   *
   * @param execution the id of the insert; executions in which it is nested have lower ones
   */
  static boolean runs(InsertIntoHadoopFsRelationCommand insert, long execution) {
    String root = SparkContext.getOrCreate().getLocalProperty(ROOT_ID);
    if (root == null || insert.mode() != SaveMode.Append || insert.catalogTable().isEmpty()) {
      return false;
    }
    for (long outer = execution - 1; outer >= Long.parseLong(root); outer--) {
      QueryExecution candidate = SQLExecution.getQueryExecution(outer);
      if (candidate != null && creates(candidate.logical(), insert.catalogTable().get())) {
        return true;
      }
    }
    return false;
  }

  private static boolean creates(LogicalPlan plan, CatalogTable table) {
    if (!plan.getClass().getName().equals(COMMAND)) {
      return false;
    }
    CreateHiveTableAsSelectCommand create = (CreateHiveTableAsSelectCommand) plan;
    TableIdentifier made = create.tableDesc().identifier();
    // In mode append the table may have been there.
    return create.mode() != SaveMode.Append
        && made.table().equalsIgnoreCase(table.identifier().table())
        && (made.database().isEmpty() || made.database().get().equalsIgnoreCase(table.database()));
  }
}
