package io.zerorename.hive.plan;

import io.zerorename.hive.metastore.InsertTarget;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;

/**
 * An INSERT into one place; a plan may have several.
 *
 * @param move the task that moves what the sinks write
 * @param statistics the only task after {@code move}, if it counts rows and files
 * @param staging the directory that Hive has made for the sinks, if nothing else is staged there
 * @param onScratch the directory from which the committer uploads the files, where Hive does
 *     everything but the move
 */
public record PlannedInsert(
    PlannedOutput output,
    InsertTarget target,
    MoveTask move,
    Optional<StatsTask> statistics,
    Optional<Path> staging,
    Optional<Path> onScratch) {
  /** How the files become those of a table or of its partitions. */
  public Optional<LoadTableDesc> load() {
    return Optional.ofNullable(move.getWork().getLoadTableWork());
  }

  /** The partition that the statement names in whole; empty where it does not. */
  public Map<String, String> fixedPartition() {
    return output.isDynamic()
        ? Map.of()
        : load().map(LoadTableDesc::getPartitionSpec).map(Map::copyOf).orElse(Map.of());
  }
}
