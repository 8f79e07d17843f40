package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans inserts whose run was committed before, so that their tasks need not run. It names none of
 * Spark's commands, as {@link HiveInserts}.
 */
final class RepeatedInserts extends SparkStrategy {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedInserts.class);

  private final SparkSession session;

  RepeatedInserts(SparkSession session) {
    this.session = requireNonNull(session, "session");
  }

  /**
   * The return type is that of Scala 2.13; for 2.12 the compiler adds a method.
   *
   * @return empty where another strategy is to plan it
   */
  @Override
  public scala.collection.immutable.Seq<SparkPlan> apply(LogicalPlan statement) {
    List<SparkPlan> plans = List.of();
    try {
      plans = RepeatedInsert.plan(statement, session).stream().toList();
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.warn(
          "zero-rename: ZR-7137: The tasks of {} run: whether its run was committed before could"
              + " not be found out ahead of them. Its commit looks again",
          statement.nodeName(),
          e);
    }
    return EitherScala.seq(plans);
  }
}
