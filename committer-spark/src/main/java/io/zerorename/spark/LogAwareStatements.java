package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans statements that look into the commit log. Those that change files of tables on S3 without
 * the commit protocol, such as TRUNCATE TABLE, Spark runs as it does, and the log is looked at
 * before and after: when the statement is executed, so that EXPLAIN does nothing, and what Spark's
 * other extensions refuse neither. Inserts whose run was committed before need no tasks. It names
 * none of Spark's commands, as {@link HiveInserts}.
 */
final class LogAwareStatements extends SparkStrategy {
  private static final Logger LOG = LoggerFactory.getLogger(LogAwareStatements.class);

  private final SparkSession session;

  LogAwareStatements(SparkSession session) {
    this.session = requireNonNull(session, "session");
  }

  /**
   * The return type is that of Scala 2.13; for 2.12 the compiler adds a method.
   *
   * @return empty where another strategy is to plan it
   */
  @Override
  public scala.collection.immutable.Seq<SparkPlan> apply(LogicalPlan statement) {
    return EitherScala.seq(bypassing(statement).or(() -> repeated(statement)).stream().toList());
  }

  @SuppressWarnings("IllegalCatch")
  private Optional<SparkPlan> bypassing(LogicalPlan statement) {
    try {
      return new BypassingPlan(session).of(statement);
    } catch (Exception | LinkageError e) {
      // Another Spark; or a metastore that fails, as it then does for Spark as well.
      LOG.warn(
          "zero-rename: ZR-7130: {} does not look into the commit log: Spark's plan of it could"
              + " not be changed. After an interrupted write, run zerorename recover before it",
          statement.nodeName(),
          e);
      return Optional.empty();
    }
  }

  private Optional<SparkPlan> repeated(LogicalPlan statement) {
    try {
      return RepeatedInsert.plan(statement, session);
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.warn(
          "zero-rename: ZR-7137: The tasks of {} run: whether its run was committed before could"
              + " not be found out ahead of them. Its commit looks again",
          statement.nodeName(),
          e);
      return Optional.empty();
    }
  }
}
