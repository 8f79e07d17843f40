package io.zerorename.spark;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.log.RunId;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.CollectMetrics;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.PlanLater;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;

/**
 * An insert whose run another write has committed. It is executed without rows: its commit finds
 * that write in the log, and completes it.
 */
final class RepeatedInsert {
  /** An option of the insert that is executed, which Spark hands to the commit protocol. */
  static final String WITHOUT_ROWS = "zerorename.internal.run.without.rows";

  /** A property of the threads that execute one: its tasks tell its watermark and its state. */
  private static final String STREAMING_QUERY = "sql.streaming.queryId";

  /** Of the parameters of Spark's command. */
  private static final int OPTIONS = 6;

  private static final int QUERY = 7;

  private RepeatedInsert() {}

  /**
   * The requests of {@link JobWrite#isCommitted} for a statement that is being executed and has a
   * run, none for any other.
   *
   * @return empty where the query is to be executed
   */
  static Optional<SparkPlan> plan(LogicalPlan statement, SparkSession session) throws IOException {
    if (!(statement instanceof InsertIntoHadoopFsRelationCommand insert)
        || insert.mode() != SaveMode.Append
        || !AffectedTable.isSwitchedOn(session)) {
      return Optional.empty();
    }
    Configuration conf = session.sessionState().newHadoopConfWithOptions(insert.options());
    if (RunId.idIn(conf).isEmpty()
        || !SessionRun.isOfSession(conf)
        || SparkContext.getOrCreate().getLocalProperty(STREAMING_QUERY) != null
        || isNeeded(insert.query())) {
      return Optional.empty();
    }
    // EXPLAIN plans it as well, in an execution that is its own.
    Optional<PlannedWrite> executed = PlannedWrite.current(insert.outputPath());
    Path destination = ZeroRenameCommitProtocol.qualified(insert.outputPath(), conf);
    if (executed.isEmpty() || !S3AFileSystems.holds(destination, conf)) {
      return Optional.empty();
    }
    Optional<RunId> run = SessionRun.of(destination, true, executed, conf);
    return run.isPresent() && JobWrite.isCommitted(run.get(), destination, conf)
        ? Optional.of(withoutRows(insert))
        : Optional.empty();
  }

  /**
   * Whether more than the write depends on it that the query is executed: what the user observes of
   * the rows; stages that have run already, behind which Spark plans it again.
   */
  private static boolean isNeeded(LogicalPlan query) {
    return query.exists(it -> it instanceof CollectMetrics || it instanceof LogicalQueryStage);
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
}
