package io.zerorename.hive.metastore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * What the metastore said of a statement's table or partitions when the statement asked which files
 * it replaces. Files that are written there meanwhile are not replaced, and change this.
 */
public final class StatisticsSnapshot {
  private static final String NO_ROWS = "0";

  /** Under the name of each partition, "" for the table. */
  private final Map<String, Map<String, String>> before = new HashMap<>();

  /**
   * @param table as it was; none where it was not there
   * @param partitions of those that the statement writes, the ones that were there
   */
  public StatisticsSnapshot(Optional<Table> table, List<Partition> partitions) {
    table.ifPresent(it -> before.put("", new HashMap<>(it.getTTable().getParameters())));
    for (Partition partition : partitions) {
      before.put(partition.getName(), new HashMap<>(partition.getParameters()));
    }
  }

  /** Whether another process has changed them, or any other parameter. */
  boolean differ(String name, Map<String, String> now) {
    Map<String, String> then = before.get(name);
    return then == null ? isCounted(name, now) : !then.equals(now);
  }

  /** Whether another process has counted rows in a partition that was new to the statement. */
  private static boolean isCounted(String partition, Map<String, String> now) {
    return !partition.isEmpty()
        && !now.getOrDefault(StatsSetupConst.ROW_COUNT, NO_ROWS).equals(NO_ROWS);
  }
}
