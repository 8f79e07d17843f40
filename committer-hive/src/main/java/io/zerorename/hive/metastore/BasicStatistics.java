package io.zerorename.hive.metastore;

import static java.util.Objects.requireNonNull;

import io.zerorename.hive.metastore.StoredStatistics.Place;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hive.common.StatsSetupConst;

/**
 * Computes the basic statistics of a table or a partition after a commit: number and size of its
 * files, rows, and their raw size. Sends no request.
 *
 * @param rewritten whether the statement's rows are all rows of each place
 * @param withColumns whether statistics of columns will be written as well
 * @param uncounted whether the rows are not known
 * @param before what the metastore had before the commit
 */
public record BasicStatistics(
    boolean rewritten, boolean withColumns, boolean uncounted, StatisticsSnapshot before) {
  public BasicStatistics {
    requireNonNull(before, "before");
  }

  /**
   * Whether others have changed the statistics of a place since the statement began its commit. An
   * overwrite leaves their files alone, and by now they have counted their rows. Of an INSERT INTO
   * the rows must not be added where a later commit has replaced them.
   */
  public boolean changedByOthers(Place place) {
    return before.differ(place.name(), place.parameters());
  }

  /**
   * Changes the parameters of a place, in Hive's order.
   *
   * @param unknown whether the number of rows in the place is not known, because of others
   * @param gathered what the tasks have counted, by the name of the statistic; null or "" where
   *     they have not
   */
  public void update(
      Place place, CommittedContents contents, boolean unknown, UnaryOperator<String> gathered) {
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
    contents.note(place.location(), place.name(), parameters);
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
