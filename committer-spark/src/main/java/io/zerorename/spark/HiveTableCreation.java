package io.zerorename.spark;

import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
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
    return insert.mode() == SaveMode.Append
        && insert.catalogTable().isDefined()
        && isWithin(execution, plan -> creates(plan, insert.catalogTable().get()));
  }

  /**
   * Whether a statement, or one that executes it, is of a kind. So may be one of another thread, so
   * that the kind has to name the table.
   */
  static boolean isWithin(long execution, Predicate<LogicalPlan> kind) {
    String root = SparkContext.getOrCreate().getLocalProperty(ROOT_ID);
    long first = root == null ? execution : Long.parseLong(root);
    return LongStream.rangeClosed(first, execution)
        .mapToObj(SQLExecution::getQueryExecution)
        .anyMatch(it -> it != null && kind.test(it.logical()));
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
