package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import org.apache.spark.sql.execution.command.InsertIntoDataSourceDirCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the statement that is being executed does about files that are there. Spark informs a commit
 * protocol only if some are, and thereby not of a write that is decided and not visible yet: one
 * that is run again after its commit was interrupted must replace that one.
 *
 * @param mode what the user asked for
 * @param staticPrefix of the partitions that it writes, as a relative path; empty for all
 * @param hive of a table in a format of Hive's
 */
record PlannedWrite(SaveMode mode, String staticPrefix, Optional<HiveTableWrite> hive) {
  private static final Logger LOG = LoggerFactory.getLogger(PlannedWrite.class);
  private static final String EXECUTION_ID = "spark.sql.execution.id";

  PlannedWrite {
    requireNonNull(mode, "mode");
    requireNonNull(staticPrefix, "staticPrefix");
    requireNonNull(hive, "hive");
  }

  /** Of the statement in whose thread this is called; empty where that is not known. */
  static Optional<PlannedWrite> current() {
    String id = SparkContext.getOrCreate().getLocalProperty(EXECUTION_ID);
    QueryExecution execution =
        id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id));
    if (execution == null) {
      LOG.debug("No statement is known for execution {}", id);
      return Optional.empty();
    }
    return of(execution.logical());
  }

  private static Optional<PlannedWrite> of(LogicalPlan plan) {
    if (plan instanceof InsertIntoHadoopFsRelationCommand insert) {
      return Optional.of(ofFiles(insert));
    }
    if (plan instanceof CreateDataSourceTableAsSelectCommand create) {
      // It overwrites where there is no table; it appends to one, or to none, in mode append alone.
      return Optional.of(
          new PlannedWrite(
              create.mode() == SaveMode.Append ? SaveMode.Append : SaveMode.Overwrite,
              "",
              Optional.empty()));
    }
    if (plan instanceof InsertIntoDataSourceDirCommand insert) {
      return Optional.of(
          new PlannedWrite(
              insert.overwrite() ? SaveMode.Overwrite : SaveMode.ErrorIfExists,
              "",
              Optional.empty()));
    }
    return Optional.empty();
  }

  private static PlannedWrite ofFiles(InsertIntoHadoopFsRelationCommand insert) {
    List<Attribute> columns = EitherScala.list(insert, "partitionColumns");
    return new PlannedWrite(
        insert.mode(), staticPrefix(insert, columns), HiveTableWrite.of(insert, columns.size()));
  }

  /** As InsertIntoHadoopFsRelationCommand.deleteMatchingPartitions makes it. */
  private static String staticPrefix(
      InsertIntoHadoopFsRelationCommand insert, List<Attribute> partitionColumns) {
    StringBuilder prefix = new StringBuilder();
    for (Attribute column : partitionColumns) {
      String name = column.name();
      if (insert.staticPartitions().contains(name)) {
        prefix
            .append(prefix.isEmpty() ? "" : Path.SEPARATOR)
            .append(
                ExternalCatalogUtils.getPartitionPathString(
                    name, insert.staticPartitions().apply(name)));
      }
    }
    return prefix.toString();
  }

  boolean replaces() {
    return mode == SaveMode.Overwrite;
  }

  /** Whether it must not write where files are. */
  boolean wantsNothingThere() {
    return mode == SaveMode.ErrorIfExists || mode == SaveMode.Ignore;
  }

  Path target(Path destination) {
    return staticPrefix.isEmpty()
        ? destination
        : new Path(destination.toString() + Path.SEPARATOR + staticPrefix);
  }
}
