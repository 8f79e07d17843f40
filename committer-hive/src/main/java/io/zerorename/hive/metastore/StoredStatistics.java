package io.zerorename.hive.metastore;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
      Path location, String name, String gatheredAs, Map<String, String> parameters) {}

  public StoredStatistics {
    partitions = List.copyOf(partitions);
  }

  public String tableName() {
    return table.getDbName() + "." + table.getTableName();
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
      hive.alterTable(tableName(), table, asGiven(), true);
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
