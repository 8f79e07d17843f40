package io.zerorename.hive.commit;

import io.zerorename.hive.metastore.StoredStatistics;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.metastore.api.EnvironmentContext;
import org.apache.hadoop.hive.metastore.api.SerDeInfo;
import org.apache.hadoop.hive.metastore.api.StorageDescriptor;
import org.apache.hadoop.hive.metastore.api.hive_metastoreConstants;
import org.apache.hadoop.hive.ql.ddl.DDLUtils;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.hooks.LineageInfo.DataContainer;
import org.apache.hadoop.hive.ql.hooks.WriteEntity;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;
import org.apache.hadoop.hive.ql.plan.MoveWork;
import org.apache.hadoop.util.StringUtils;
import org.apache.thrift.TException;

/**
 * In the place of Hive's MoveTask, behind a {@link CommitTask}: the files are in place, and the
 * partitions registered. It does what else Hive's does: it alters what the statement has written
 * where the statistics task does not, sends events, names the outputs and their lineage for hooks,
 * and tells the statistics task which partitions the rows have chosen. The metastore gets one
 * request of a kind, however many partitions there are, and none where nothing is to be altered.
 *
 * <p>Locks of a lock manager without transactions are released at the end of the query, and not
 * here.
 */
public final class CommittedMoveTask extends StatementTask<MoveWork> {
  private static final long serialVersionUID = 1L;

  private final transient CommitTask commit;

  /**
   * Does the rest of the work of Hive's task, under its name.
   *
   * @param subscribers which get the partitions that the rows have chosen, or null
   */
  public CommittedMoveTask(CommitTask commit, MoveTask original, List<Task<?>> subscribers) {
    super("MOVE");
    this.commit = commit;
    setId(original.getId());
    setWork(original.getWork());
    setFetchSource(original.isFetchSource());
    setFeedSubscribers(subscribers);
  }

  @Override
  public int execute() {
    Optional<CommittedInsert> committed = commit.committed();
    LoadTableDesc load = work.getLoadTableWork();
    // EXPLAIN ANALYZE commits nothing. A directory, or that of a new table, is in no metastore yet.
    if (committed.isEmpty() || load == null || committed.get().superseded()) {
      return 0;
    }
    try {
      Table table = committed.get().table().orElseThrow();
      if (table.isPartitioned()) {
        loadPartitions(committed.get(), table, load);
      } else {
        loadTable(committed.get(), table, load);
      }
      return 0;
    } catch (HiveException | TException e) {
      console.printError(
          ("zero-rename: ZR-5247: all files of %s are in place, but the metastore refuses what comes"
                  + " behind them: %s")
              .formatted(load.getTable().getTableName(), e.getMessage()),
          "\n" + StringUtils.stringifyException(e));
      setException(e);
      return 1;
    }
  }

  private void loadTable(CommittedInsert committed, Table table, LoadTableDesc load)
      throws HiveException {
    if (leavesStatistics()) {
      Table current = getHive().getTable(table.getDbName(), table.getTableName());
      StatsSetupConst.setBasicStatsState(current.getParameters(), StatsSetupConst.FALSE);
      getHive().alterTable(current, false, context(), true);
    }
    committed.events().send(getHive(), table, conf);
    addOutput(new WriteEntity(table, writeType(load)));
    setLineage(load, new DataContainer(table.getTTable()), table);
  }

  private void loadPartitions(CommittedInsert committed, Table table, LoadTableDesc load)
      throws HiveException, TException {
    committed.events().send(getHive(), table, conf);
    boolean dynamic = commit.getWork().isDynamic();
    // To old files of a partition that rows choose Hive leaves their format.
    boolean formats = load.isInsertOverwrite() || !dynamic || leavesStatistics();
    alter(table, committed.existing(), formats);
    List<Partition> partitions = committed.partitions();
    if (dynamic && !partitions.isEmpty()) {
      pushFeed(FeedType.DYNAMIC_PARTITIONS, partitions);
    }
    for (Partition partition : partitions) {
      WriteEntity entity = new WriteEntity(partition, writeType(load));
      addOutput(entity);
      if (dynamic) {
        // The plan names the others.
        queryPlan.getOutputs().add(entity);
      }
      setLineage(load, new DataContainer(table.getTTable(), partition.getTPartition()), table);
    }
  }

  /**
   * Alters partitions that were there before and that are to be altered, all in one request. As
   * Hive does (Hive.alterPartitionSpecInMemory), it gives them the format and the buckets of the
   * table, in which the rows were written.
   */
  private void alter(Table table, List<Partition> existing, boolean formats)
      throws HiveException, TException {
    List<String> names =
        existing.stream()
            .filter(it -> leavesStatistics() || (formats && !isAsTable(it, table)))
            .map(Partition::getName)
            .toList();
    if (names.isEmpty()) {
      return;
    }
    // Others may have altered them since.
    List<Partition> current = getHive().getPartitionsByNames(table, names);
    for (Partition partition : current) {
      if (formats) {
        likeTable(partition.getTPartition().getSd(), table.getTTable().getSd());
      }
      if (leavesStatistics()) {
        StatsSetupConst.setBasicStatsState(partition.getParameters(), StatsSetupConst.FALSE);
        partition.getParameters().remove(hive_metastoreConstants.DDL_TIME);
      }
    }
    StoredStatistics.alter(getHive(), table, current, context());
  }

  private static boolean isAsTable(Partition partition, Table table) {
    StorageDescriptor wanted = new StorageDescriptor(partition.getTPartition().getSd());
    likeTable(wanted, table.getTTable().getSd());
    return wanted.equals(partition.getTPartition().getSd());
  }

  private static void likeTable(StorageDescriptor storage, StorageDescriptor ofTable) {
    storage.setInputFormat(ofTable.getInputFormat());
    storage.setOutputFormat(ofTable.getOutputFormat());
    SerDeInfo format = storage.getSerdeInfo();
    format.setSerializationLib(ofTable.getSerdeInfo().getSerializationLib());
    format.setParameters(ofTable.getSerdeInfo().getParameters());
    storage.setBucketCols(ofTable.getBucketCols());
    storage.setNumBuckets(ofTable.getNumBuckets());
    storage.setSortCols(ofTable.getSortCols());
  }

  /** Whether no task behind this one writes statistics, so that those of before are wrong now. */
  private boolean leavesStatistics() {
    return !isBeforeStatistics() || !StoredStatistics.areGathered(conf);
  }

  private boolean isBeforeStatistics() {
    return getNumChild() == 1 && getChildTasks().get(0) instanceof StatsTask;
  }

  /** Lets the metastore count the files itself where nobody else does, as Hive does. */
  private EnvironmentContext context() {
    return isBeforeStatistics() ? StoredStatistics.asGiven() : new EnvironmentContext();
  }

  private void addOutput(WriteEntity entity) {
    if (work.getOutputs() != null) {
      DDLUtils.addIfAbsentByName(entity, work.getOutputs());
    }
  }

  private static WriteEntity.WriteType writeType(LoadTableDesc load) {
    return load.isInsertOverwrite()
        ? WriteEntity.WriteType.INSERT_OVERWRITE
        : WriteEntity.WriteType.INSERT;
  }

  private void setLineage(LoadTableDesc load, DataContainer written, Table table) {
    queryState.getLineageState().setLineage(load.getSourcePath(), written, table.getCols());
  }
}
