package io.zerorename.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Has statements that write to Hive tables in formats of Hive's commit through {@link
 * ZeroRenameCommitProtocol}, those that change files of tables without it look into the commit log,
 * and those whose run was committed before run no tasks; users name it in {@code
 * spark.sql.extensions}. Without it Spark writes to a staging directory in formats of Hive's, and
 * has Hive's client rename the files.
 */
public final class ZeroRenameExtensions
    extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  private static final Logger LOG = LoggerFactory.getLogger(ZeroRenameExtensions.class);

  /** Called by Spark for each session. */
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectPlannerStrategy(LogAwareStatements::new);
    if (hasHive()) {
      // After Spark's own rule, which plans the inserts into Hive tables.
      extensions.injectPostHocResolutionRule(HiveInserts::new);
    } else {
      LOG.info("zero-rename: this Spark has no Hive support, and so no Hive tables to write to");
    }
    return BoxedUnit.UNIT;
  }

  private static boolean hasHive() {
    try {
      Class.forName(
          "org.apache.spark.sql.hive.execution.InsertIntoHiveTable",
          false,
          ZeroRenameExtensions.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      LOG.debug("No Hive support", e);
      return false;
    }
  }
}
