package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans statements that change files of tables on S3 without the commit protocol, such as TRUNCATE
 * TABLE: Spark runs them as it does, and the commit log is looked at before and after. That is done
 * when the statement is executed, so that EXPLAIN does nothing, and what Spark's other extensions
 * refuse neither. It names none of Spark's commands, as {@link HiveInserts}.
 */
final class BypassingStatements extends SparkStrategy {
  private static final Logger LOG = LoggerFactory.getLogger(BypassingStatements.class);

  private final SparkSession session;

  BypassingStatements(SparkSession session) {
    this.session = requireNonNull(session, "session");
  }

  /**
   * The return type is that of Scala 2.13; for 2.12 the compiler adds a method.
   *
   * @return empty where another strategy is to plan it
   */
  @Override
  @SuppressWarnings("IllegalCatch")
  public scala.collection.immutable.Seq<SparkPlan> apply(LogicalPlan statement) {
    List<SparkPlan> plans = List.of();
    try {
      plans = new BypassingPlan(session).of(statement).stream().toList();
    } catch (Exception | LinkageError e) {
      // Another Spark; or a metastore that fails, as it then does for Spark as well.
      LOG.warn(
          "zero-rename: ZR-7130: {} does not look into the commit log: Spark's plan of it could"
              + " not be changed. After an interrupted write, run zerorename recover before it",
          statement.nodeName(),
          e);
    }
    return EitherScala.seq(plans);
  }
}
