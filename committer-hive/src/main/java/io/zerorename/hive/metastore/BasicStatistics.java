package io.zerorename.hive.metastore;

import io.zerorename.hive.metastore.StoredStatistics.Place;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * Computes the basic statistics of a table or a partition after a commit: number and size of its
 * files, rows, and their raw size. Sends no request.
 *
 * @param rewritten whether the statement's rows are all rows of each place
 * @param withColumns whether statistics of columns will be written as well
 * @param uncounted whether the rows are not known
 * @param before what {@link #snapshot} has returned before the commit
 */
public record BasicStatistics(
    boolean rewritten,
    boolean withColumns,
    boolean uncounted,
    Map<String, Map<String, String>> before) {
  /**
   * What the metastore says when the statement asks which files it replaces, under the name of each
   * partition, "" for the table. Files that others write there meanwhile change it.
   *
   * @param table as it is; none where it is not there
   * @param partitions of those that the statement writes, the ones that are there
   */
  public static Map<String, Map<String, String>> snapshot(
      Optional<Table> table, List<Partition> partitions) {
    Map<String, Map<String, String>> now = new HashMap<>();
    table.ifPresent(it -> now.put("", Map.copyOf(it.getTTable().getParameters())));
    for (Partition partition : partitions) {
      now.put(partition.getName(), Map.copyOf(partition.getParameters()));
    }
    return now;
  }

  /**
   * Whether others have changed the statistics of a place since the statement began its commit, or
   * counted rows in a partition that was new to it. An overwrite leaves their files alone, and by
   * now they have counted their rows. Of an INSERT INTO the rows must not be added where a later
   * commit has replaced them.
   */
  public boolean changedByOthers(Place place) {
    Map<String, String> then = before.get(place.name());
    return then != null
        ? !then.equals(place.parameters())
        : !place.name().isEmpty()
            && !place.parameters().getOrDefault(StatsSetupConst.ROW_COUNT, "0").equals("0");
  }

  /**
   * Changes the parameters of a place, in Hive's order.
   *
   * @param files in the place; empty where their number and size were noted when it was added
   * @param unknown whether the number of rows in the place is not known, because of others
   * @param gathered what the tasks have counted, by the name of the statistic; null or "" where
   *     they have not
   */
  public void update(
      Place place, Optional<FileTotals> files, boolean unknown, UnaryOperator<String> gathered) {
    Map<String, String> parameters = place.parameters();
    if (rewritten) {
      StatsSetupConst.setBasicStatsState(parameters, StatsSetupConst.TRUE);
    }
    if (!withColumns) {
      StatsSetupConst.clearColumnStatsState(parameters);
    }
    if (uncounted || unknown) {
      StatsSetupConst.setBasicStatsState(parameters, StatsSetupConst.FALSE);
    }
    files.ifPresent(it -> it.note(parameters));
    if (!StatsSetupConst.areBasicStatsUptoDate(parameters)) {
      return;
    }
    for (String type : StatsSetupConst.STATS_REQUIRE_COMPUTE) {
      String counted = gathered.apply(type);
      if (counted != null && !counted.isEmpty()) {
        String previous = rewritten ? null : parameters.get(type);
        long sum = Long.parseLong(counted) + (previous == null ? 0 : Long.parseLong(previous));
        parameters.put(type, Long.toString(sum));
      }
    }
  }
}
