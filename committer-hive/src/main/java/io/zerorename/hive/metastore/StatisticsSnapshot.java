package io.zerorename.hive.metastore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * What the metastore said of a statement's table or partitions when the statement asked which files
 * it replaces. Files that are written there meanwhile are not replaced, and change this.
 */
public final class StatisticsSnapshot {
  /** Only tasks that have counted rows write these. */
  private static final List<String> OF_ROWS =
      List.of(StatsSetupConst.ROW_COUNT, StatsSetupConst.RAW_DATA_SIZE);

  private static final List<String> OF_FILES =
      List.of(StatsSetupConst.NUM_FILES, StatsSetupConst.TOTAL_SIZE);

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

  /**
   * Whether another process has changed them, where Hive's MoveTask alters what the statement
   * writes.
   *
   * @param own what the metastore would say of the files of the statement alone
   */
  boolean differ(String name, Map<String, String> now, Map<String, String> own) {
    Map<String, String> then = before.get(name);
    return differInRows(name, now)
        || (then != null
            && OF_FILES.stream()
                .anyMatch(
                    key ->
                        !Objects.equals(then.get(key), now.get(key))
                            && !Objects.equals(own.get(key), now.get(key))));
  }

  /** Whether another process has changed those of rows, and not of files alone. */
  boolean differInRows(String name, Map<String, String> now) {
    Map<String, String> then = before.get(name);
    return then == null
        ? isCounted(name, now)
        : isKnown(then) != isKnown(now)
            || OF_ROWS.stream().anyMatch(key -> !Objects.equals(then.get(key), now.get(key)));
  }

  /** Whether another process has counted rows in a partition that was new to the statement. */
  private static boolean isCounted(String partition, Map<String, String> now) {
    return !partition.isEmpty()
        && !now.getOrDefault(StatsSetupConst.ROW_COUNT, NO_ROWS).equals(NO_ROWS);
  }

  private static boolean isKnown(Map<String, String> parameters) {
    return StatsSetupConst.areBasicStatsUptoDate(parameters);
  }
}
