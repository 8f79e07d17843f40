package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has {@link PlannedInserts} plan inserts. It names none of Spark's commands: in another Spark one
 * may be missing, and what cannot be loaded must not fail the analysis of any statement.
 */
final class HiveInserts extends Rule<LogicalPlan> {
  private static final Logger LOG = LoggerFactory.getLogger(HiveInserts.class);

  private final SparkSession session;

  HiveInserts(SparkSession session) {
    this.session = requireNonNull(session, "session");
  }

  @Override
  @SuppressWarnings("IllegalCatch")
  public LogicalPlan apply(LogicalPlan plan) {
    try {
      return plan.resolveOperators(new PlannedInserts(session));
    } catch (Exception | LinkageError e) {
      // Another Spark, or what fails for Spark as well, which then says so in its own way.
      LOG.warn(
          "zero-rename: ZR-7131: {} keeps Spark's own plan, with renames, because it could not be"
              + " planned in another way",
          plan.nodeName(),
          e);
      return plan;
    }
  }
}
