package io.zerorename.hive.metastore;

import java.util.List;
import org.apache.hadoop.hive.metastore.api.WMFullResourcePlan;
import org.apache.hadoop.hive.metastore.api.WMTrigger;
import org.apache.hadoop.hive.ql.exec.Operator;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether it matters how many of the partitions of a dynamic INSERT INTO are new. A file sink
 * checks for each on S3, only to count the new ones, and only a trigger of a resource plan acts
 * upon the count.
 */
public final class PartitionTriggers {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionTriggers.class);

  private PartitionTriggers() {}

  /** One request to the metastore. */
  public static boolean exist(Hive hive) {
    try {
      WMFullResourcePlan plan = hive.getActiveResourcePlan();
      List<WMTrigger> triggers =
          plan == null || plan.getTriggers() == null ? List.of() : plan.getTriggers();
      return triggers.stream()
          .map(WMTrigger::getTriggerExpression)
          .anyMatch(it -> it.contains(Operator.HIVE_COUNTER_CREATED_DYNAMIC_PARTITIONS));
    } catch (HiveException e) {
      LOG.warn(
          "ZR-5304: Cannot ask for the active resource plan; new partitions will be counted", e);
      return true;
    }
  }
}
