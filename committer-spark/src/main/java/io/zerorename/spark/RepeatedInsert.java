package io.zerorename.spark;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.log.RunId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.PlanLater;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.command.AlterTableAddPartitionCommand;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import scala.Option;
import scala.Tuple2;

/**
 * An insert whose run another write has committed. It is executed without rows: its commit finds
 * that write in the log, and completes it.
 */
final class RepeatedInsert {
  /** An option of the insert that is executed, which Spark hands to the commit protocol. */
  static final String WITHOUT_ROWS = "zerorename.run.without.rows";

  /** Of the parameters of Spark's command. */
  private static final int OPTIONS = 6;

  private static final int QUERY = 7;

  private RepeatedInsert() {}

  /**
   * The requests of {@link JobWrite#isCommitted} for a statement that is being executed and has a
   * run, none for any other.
   *
   * @return empty where the rows are needed
   */
  static Optional<SparkPlan> plan(LogicalPlan statement, SparkSession session) throws IOException {
    if (!(statement instanceof InsertIntoHadoopFsRelationCommand insert)
        || insert.mode() != SaveMode.Append
        || !AffectedTable.isSwitchedOn(session)) {
      return Optional.empty();
    }
    // EXPLAIN plans it as well, in an execution that is its own.
    Optional<PlannedWrite> executed =
        PlannedWrite.current()
            .filter(it -> it.insert().filter(its -> isSame(its, insert)).isPresent());
    Configuration conf = session.sessionState().newHadoopConf();
    Path destination = ZeroRenameCommitProtocol.qualified(insert.outputPath(), conf);
    if (executed.isEmpty() || !S3AFileSystems.holds(destination, conf)) {
      return Optional.empty();
    }
    Optional<RunId> run = SessionRun.of(destination, true, executed, conf);
    return run.isPresent() && JobWrite.isCommitted(run.get(), destination, conf)
        ? Optional.of(withoutRows(insert))
        : Optional.empty();
  }

  private static boolean isSame(
      InsertIntoHadoopFsRelationCommand one, InsertIntoHadoopFsRelationCommand other) {
    return one.outputPath().equals(other.outputPath()) && one.mode() == other.mode();
  }

  private static SparkPlan withoutRows(InsertIntoHadoopFsRelationCommand insert) {
    Map<String, String> options = EitherScala.map(insert.options());
    options.put(WITHOUT_ROWS, "true");
    LogicalPlan none =
        EitherScala.make(LocalRelation.class, EitherScala.<Object>call(insert.query(), "output"));
    return new DataWritingCommandExec(
        EitherScala.with(EitherScala.with(insert, QUERY, none), OPTIONS, EitherScala.map(options)),
        new PlanLater(none));
  }

  /**
   * Adds the partitions to the catalog that the other write may not have come to. Spark adds those
   * for which tasks have written.
   *
   * @param table that has its partitions in the catalog
   * @param directories of the other write's files, but for those of partitions that are there
   */
  static void addPartitions(CatalogTable table, Set<Path> directories) {
    List<Tuple2<scala.collection.immutable.Map<String, String>, Option<String>>> added =
        new ArrayList<>();
    for (Path directory : directories) {
      HiveTableWrite.partitionAt(table, directory)
          .ifPresent(it -> added.add(new Tuple2<>(it, Option.empty())));
    }
    if (!added.isEmpty()) {
      EitherScala.call(
          EitherScala.make(
              AlterTableAddPartitionCommand.class,
              table.identifier(),
              EitherScala.seq(added),
              true),
          "run",
          SparkSession.active());
    }
  }
}
