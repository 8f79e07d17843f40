package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.DynamicPartitionCtx;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;

/**
 * The one INSERT of a plan.
 *
 * @param predecessor the only task that {@code move} waits for
 * @param move the task that moves what the sink writes
 * @param statistics the only task after {@code move}, if it counts rows and files
 * @param staging the directory that Hive has made for the sink, if nothing else is staged there
 * @param locations of partitions that dynamic rows may choose and that are not where they would be
 *     by default
 */
record PlannedInsert(
    FileSinkOperator sink,
    Task<?> predecessor,
    MoveTask move,
    Optional<StatsTask> statistics,
    Optional<Path> staging,
    CustomLocations locations) {
  PlannedInsert {
    requireNonNull(sink, "sink");
    requireNonNull(predecessor, "predecessor");
    requireNonNull(move, "move");
    requireNonNull(statistics, "statistics");
    requireNonNull(staging, "staging");
    requireNonNull(locations, "locations");
  }

  PlannedInsert with(CustomLocations custom) {
    return new PlannedInsert(sink, predecessor, move, statistics, staging, custom);
  }

  Table table() {
    return sink.getConf().getTable();
  }

  LoadTableDesc load() {
    return move.getWork().getLoadTableWork();
  }

  boolean overwrites() {
    return load().isInsertOverwrite();
  }

  /** Whether the rows decide about the partition, at least about its last columns. */
  boolean isDynamic() {
    DynamicPartitionCtx context = sink.getConf().getDynPartCtx();
    return context != null && context.getNumDPCols() > 0;
  }

  /**
   * Where the files belong that Hive's tasks put directly into the staging directory: the table,
   * the partition, or, for dynamic partitions, the directory of the static part of the partition.
   */
  Path destination() {
    Path path = sink.getConf().getDestPath();
    DynamicPartitionCtx context = sink.getConf().getDynPartCtx();
    return context == null || context.getSPPath() == null
        ? path
        : new Path(path, context.getSPPath());
  }
}
