package io.zerorename.hive.metastore;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.metastore.api.EnvironmentContext;
import org.apache.hadoop.hive.metastore.api.SerDeInfo;
import org.apache.hadoop.hive.metastore.api.StorageDescriptor;
import org.apache.hadoop.hive.metastore.api.hive_metastoreConstants;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.thrift.TException;

/**
 * Partitions that were there before an INSERT wrote to them. As Hive does
 * (Hive.alterPartitionSpecInMemory), it gives them the format and the buckets of the table, in
 * which the rows were written.
 */
public record LoadedPartitions(Hive hive, Table table) {
  public LoadedPartitions {
    requireNonNull(hive, "hive");
    requireNonNull(table, "table");
  }

  /**
   * Alters those that are to be altered, all in one request; sends none where there are none.
   *
   * @param existing as they were before the INSERT
   * @param formats whether they get the format and the buckets of the table
   * @param leavesStatistics whether nobody writes their statistics, which are wrong from now on
   */
  public void alter(
      List<Partition> existing,
      boolean formats,
      boolean leavesStatistics,
      EnvironmentContext statistics)
      throws HiveException, TException {
    List<String> names =
        existing.stream()
            .filter(it -> leavesStatistics || (formats && !isAsTable(it)))
            .map(Partition::getName)
            .toList();
    if (names.isEmpty()) {
      return;
    }
    // Others may have altered them since.
    List<Partition> current = hive.getPartitionsByNames(table, names);
    for (Partition partition : current) {
      if (formats) {
        likeTable(partition.getTPartition().getSd());
      }
      if (leavesStatistics) {
        StatsSetupConst.setBasicStatsState(partition.getParameters(), StatsSetupConst.FALSE);
        partition.getParameters().remove(hive_metastoreConstants.DDL_TIME);
      }
    }
    StoredStatistics.alter(hive, table, current, statistics);
  }

  private boolean isAsTable(Partition partition) {
    StorageDescriptor storage = partition.getTPartition().getSd();
    StorageDescriptor wanted = new StorageDescriptor(storage);
    likeTable(wanted);
    return wanted.equals(storage);
  }

  private void likeTable(StorageDescriptor storage) {
    StorageDescriptor ofTable = table.getTTable().getSd();
    storage.setInputFormat(ofTable.getInputFormat());
    storage.setOutputFormat(ofTable.getOutputFormat());
    SerDeInfo format = storage.getSerdeInfo();
    format.setSerializationLib(ofTable.getSerdeInfo().getSerializationLib());
    format.setParameters(ofTable.getSerdeInfo().getParameters());
    storage.setBucketCols(ofTable.getBucketCols());
    storage.setNumBuckets(ofTable.getNumBuckets());
    storage.setSortCols(ofTable.getSortCols());
  }
}
