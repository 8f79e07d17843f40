package io.zerorename.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.hive.execution.CreateHiveTableAsSelectCommand;
import scala.runtime.BoxedUnit;

/**
 * The statement that is executed in the thread of the caller. A command that executes another one
 * has that done as a statement of its own.
 */
final class RunningStatement {
  private static final String EXECUTION_ID = "spark.sql.execution.id";
  private static final String ROOT_ID = "spark.sql.execution.root.id";

  /** What begins with it is not there in a Spark without Hive support. */
  private static final String HIVES = "org.apache.spark.sql.hive.execution.";

  private RunningStatement() {}

  /** Empty where that is not known. */
  static Optional<LogicalPlan> plan() {
    return Optional.ofNullable(SparkContext.getOrCreate().getLocalProperty(EXECUTION_ID))
        .map(id -> SQLExecution.getQueryExecution(Long.parseLong(id)))
        .map(QueryExecution::logical);
  }

  /**
   * Its inserts that write to a place: Spark 4 executes all inserts of one statement at once.
   *
   * @param path as Spark names it
   */
  static List<InsertIntoHadoopFsRelationCommand> inserts(Path path) {
    List<InsertIntoHadoopFsRelationCommand> inserts = new ArrayList<>();
    plan()
        .ifPresent(
            statement ->
                statement.foreach(
                    it -> {
                      if (it instanceof InsertIntoHadoopFsRelationCommand insert
                          && (it == statement || insert.outputPath().equals(path))) {
                        inserts.add(insert);
                      }
                      return BoxedUnit.UNIT;
                    }));
    return inserts;
  }

  /**
   * Whether it is an overwrite that keeps Spark's own plan, of a table of Hive's or a directory.
   */
  static boolean isOverwriteOfHive() {
    return plan()
        .filter(
            statement ->
                statement.exists(
                    it ->
                        it.getClass().getName().startsWith(HIVES + "InsertIntoHive")
                            && EitherScala.<Boolean>call(it, "overwrite")))
        .isPresent();
  }

  /**
   * Whether it fills the table that a CREATE TABLE AS SELECT of Hive has made. Spark makes the
   * table, and then executes an INSERT INTO of its own, which does not say where it comes from. If
   * that fails, Spark drops the table.
   *
   * @param insert what it executes
   */
  static boolean fillsNewTableOfHive(InsertIntoHadoopFsRelationCommand insert) {
    return insert.mode() == SaveMode.Append
        && insert.catalogTable().isDefined()
        && isWithin(plan -> creates(plan, insert.catalogTable().get()));
  }

  private static boolean creates(LogicalPlan plan, CatalogTable table) {
    if (!plan.getClass().getName().equals(HIVES + "CreateHiveTableAsSelectCommand")) {
      return false;
    }
    CreateHiveTableAsSelectCommand create = (CreateHiveTableAsSelectCommand) plan;
    TableIdentifier made = create.tableDesc().identifier();
    // In mode append the table may have been there.
    return create.mode() != SaveMode.Append
        && made.table().equalsIgnoreCase(table.identifier().table())
        && (made.database().isEmpty() || made.database().get().equalsIgnoreCase(table.database()));
  }

  /**
   * Whether it is an append to a table that it makes. To Spark that is an overwrite, and a second
   * such statement, which finds the table, is none.
   *
   * @param destination fully qualified
   */
  static boolean makesWhatItAppendsTo(Path destination) {
    return isWithin(
        plan ->
            plan instanceof CreateDataSourceTableAsSelectCommand create
                && create.mode() == SaveMode.Append
                && locationOf(create.table()).equals(destination));
  }

  /** Also of a table that is not there yet. */
  private static Path locationOf(CatalogTable table) {
    return new Path(
        table.storage().locationUri().isDefined()
            ? table.location()
            : SparkSession.active().sessionState().catalog().defaultTablePath(table.identifier()));
  }

  /**
   * Whether it, or a statement that executes it, is of a kind. So may be one of another thread, as
   * all between the ids of these count, so that the kind has to name the table.
   */
  private static boolean isWithin(Predicate<LogicalPlan> kind) {
    if (plan().isEmpty()) {
      return false;
    }
    SparkContext context = SparkContext.getOrCreate();
    String last = context.getLocalProperty(EXECUTION_ID);
    String root = context.getLocalProperty(ROOT_ID);
    return LongStream.rangeClosed(Long.parseLong(root == null ? last : root), Long.parseLong(last))
        .mapToObj(SQLExecution::getQueryExecution)
        .anyMatch(it -> it != null && kind.test(it.logical()));
  }
}
