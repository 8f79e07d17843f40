package io.zerorename.hive.metastore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.api.EnvironmentContext;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.api.hive_metastoreConstants;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.stats.BasicStatsTask;
import org.apache.thrift.TException;

/**
 * The statistics that the metastore has of a table, or of some partitions of one.
 *
 * @param partitions whose statistics these are; none for a table without partitions
 */
public record StoredStatistics(Hive hive, Table table, List<Partition> partitions) {
  /** By its name, because the constant of 4.0.1 has another one. */
  private static final String GATHER = "hive.stats.autogather";

  /**
   * A table or a partition.
   *
   * @param name of the partition, "" for the table
   * @param gatheredAs the key under which tasks publish what they have counted
   * @param parameters in which the statistics are; changes are kept until {@link #write}
   */
  public record Place(
      Path location, String name, String gatheredAs, Map<String, String> parameters) {
    /**
     * Whether others have changed the statistics since the statement began its commit, or counted
     * rows in a partition that was new to it. An overwrite leaves their files alone, and by now
     * they have counted their rows. Of an INSERT INTO the rows must not be added where a later
     * commit has replaced them.
     *
     * @param before what {@link #snapshot} has returned before the commit
     */
    public boolean isChangedSince(Map<String, Map<String, String>> before) {
      Map<String, String> then = before.get(name);
      return then != null
          ? !then.equals(parameters)
          : !name.isEmpty() && !parameters.getOrDefault(StatsSetupConst.ROW_COUNT, "0").equals("0");
    }

    /**
     * Changes the parameters after a commit, in Hive's order. Sends no request.
     *
     * @param rewritten whether the statement's rows are all rows of the place
     * @param withColumns whether statistics of columns will be written as well
     * @param unknown whether the number of rows is not known, as because of others
     * @param files in the place; empty where their number and size were noted when it was added
     * @param gathered what the tasks have counted, by the name of the statistic; null or "" where
     *     they have not
     */
    public void update(
        boolean rewritten,
        boolean withColumns,
        boolean unknown,
        Optional<FileTotals> files,
        UnaryOperator<String> gathered) {
      if (rewritten) {
        StatsSetupConst.setBasicStatsState(parameters, StatsSetupConst.TRUE);
      }
      if (!withColumns) {
        StatsSetupConst.clearColumnStatsState(parameters);
      }
      if (unknown) {
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

  public StoredStatistics {
    partitions = List.copyOf(partitions);
  }

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

  public List<Place> places() throws MetaException {
    List<Place> places = new ArrayList<>();
    if (!table.isPartitioned()) {
      places.add(
          new Place(
              table.getDataLocation(),
              "",
              BasicStatsTask.getAggregationPrefix(table, null),
              table.getTTable().getParameters()));
    }
    for (Partition partition : partitions) {
      places.add(
          new Place(
              partition.getDataLocation(),
              partition.getName(),
              BasicStatsTask.getAggregationPrefix(table, partition),
              partition.getParameters()));
    }
    return places;
  }

  /** Sends the parameters of all places to the metastore. */
  public void write() throws HiveException, TException {
    if (table.isPartitioned()) {
      partitions.forEach(it -> it.getParameters().remove(hive_metastoreConstants.DDL_TIME));
      alter(hive, table, partitions, asGiven());
    } else {
      hive.alterTable(table.getFullyQualifiedName(), table, asGiven(), true);
    }
  }

  /**
   * Sends partitions to the metastore in one request. Hive's own method reads the thread's session,
   * which a recovery has not, and sets the time of the change, by which the statistics task knows
   * others.
   */
  public static void alter(
      Hive hive, Table table, List<Partition> partitions, EnvironmentContext statistics)
      throws HiveException, TException {
    hive.getMSC()
        .alter_partitions(
            table.getDbName(),
            table.getTableName(),
            partitions.stream().map(Partition::getTPartition).toList(),
            statistics,
            null,
            -1);
  }

  /** Whether statements write statistics of what they insert. */
  public static boolean areGathered(HiveConf conf) {
    return conf.getBoolVar(HiveConf.getConfVars(GATHER));
  }

  /** Lets the metastore take the statistics of a request as they are. */
  public static EnvironmentContext asGiven() {
    EnvironmentContext context = new EnvironmentContext();
    context.putToProperties(StatsSetupConst.DO_NOT_UPDATE_STATS, StatsSetupConst.TRUE);
    return context;
  }

  /**
   * Marks statistics as unknown.
   *
   * @param ofColumnsOnly whether number and size of the files and of rows are right
   */
  public void forget(boolean ofColumnsOnly) throws HiveException, TException {
    for (Place place : places()) {
      if (ofColumnsOnly) {
        StatsSetupConst.clearColumnStatsState(place.parameters());
      } else {
        place.parameters().remove(StatsSetupConst.COLUMN_STATS_ACCURATE);
      }
    }
    write();
  }
}
