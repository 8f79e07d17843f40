package io.zerorename.hive.fallback;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.Statement;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * Whether the plan names the present location of its table. A prepared statement keeps the
 * locations of its preparation, and Hive's MoveTask reads the present ones from the metastore.
 */
final class LocationCheck {
  private final PlannedInsert insert;
  private final Hive hive;

  LocationCheck(PlannedInsert insert, Hive hive) {
    this.insert = requireNonNull(insert, "insert");
    this.hive = requireNonNull(hive, "hive");
  }

  void check(Statement statement) throws NotEligible, HiveException {
    if (insert.target().kind() != InsertTarget.Kind.TABLE) {
      return;
    }
    Map<String, String> fixed = insert.fixedPartition();
    if (fixed.isEmpty()) {
      refuseUnlessSame(insert.output().desc().getDestPath(), insert.target().path());
    } else if (statement == Statement.EXECUTE) {
      refuseUnlessSame(insert.output().destination(), current(fixed));
    }
  }

  /** Where the partition is, or would be if it were added now. */
  private Path current(Map<String, String> fixed) throws HiveException {
    Table table = insert.target().table().orElseThrow();
    Partition partition = hive.getPartition(table, fixed, false);
    if (partition != null) {
      return partition.getDataLocation();
    }
    List<String> columns = table.getPartitionKeys().stream().map(FieldSchema::getName).toList();
    return new Path(
        table.getDataLocation(),
        FileUtils.makePartName(columns, columns.stream().map(fixed::get).toList()));
  }

  private static void refuseUnlessSame(Path planned, Path current) throws NotEligible {
    if (!ObjectKeys.isAtOrBelow(planned, current) || !ObjectKeys.isAtOrBelow(current, planned)) {
      throw new NotEligible(
          FallbackReason.PLAN_SHAPE,
          "the plan writes to " + planned + ", and the metastore says " + current);
    }
  }
}
