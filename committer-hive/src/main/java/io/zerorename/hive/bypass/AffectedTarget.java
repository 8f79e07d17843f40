package io.zerorename.hive.bypass;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.bypass.StatementKind.Change;
import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.commit.CommitWork;
import io.zerorename.hive.metastore.InsertTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.hooks.Entity;
import org.apache.hadoop.hive.ql.hooks.ReadEntity;
import org.apache.hadoop.hive.ql.hooks.WriteEntity;
import org.apache.hadoop.hive.ql.hooks.WriteEntity.WriteType;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.metadata.DummyPartition;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * A table or a directory on S3 whose files a statement changes on Hive's own path.
 *
 * @param words the statement's name in messages, where it removes files
 * @param within the directories in which it may change files, with all that is below them
 * @param dynamic whether rows decide in which partitions below those
 */
record AffectedTarget(
    InsertTarget target, String words, Change change, Set<Path> within, boolean dynamic) {
  AffectedTarget {
    within = Set.copyOf(within);
  }

  /**
   * The targets of a statement that the committer does not commit itself: one for each table and
   * kind of change, however many partitions there are.
   *
   * @param commits what it does commit
   * @throws HiveException where the metastore does not know the table that is truncated
   */
  static List<AffectedTarget> of(QueryPlan plan, Collection<CommitTask> commits, Configuration conf)
      throws IOException, HiveException {
    Optional<StatementKind> found = StatementKind.of(plan);
    if (found.isEmpty()) {
      return List.of();
    }
    StatementKind kind = found.get();
    Map<List<Object>, AffectedTarget> all = new LinkedHashMap<>();
    for (WriteEntity entity : List.copyOf(plan.getOutputs())) {
      Optional<Change> change = kind.changeOf(entity);
      if (change.isPresent()) {
        of(entity, kind, change.get(), conf)
            .filter(it -> commits.stream().noneMatch(commit -> it.isOf(commit, entity)))
            .ifPresent(it -> it.addTo(all));
      }
    }
    if (kind.changesItsSource()) {
      for (ReadEntity entity : List.copyOf(plan.getInputs())) {
        of(entity, kind, kind.change(), conf).ifPresent(it -> it.addTo(all));
      }
    }
    Optional<String> truncated = StatementKind.truncatedTable(plan);
    if (truncated.isPresent()) {
      // Hive names the partitions that it knows. One of an interrupted INSERT may be missing.
      Table table =
          plan.getOutputs().isEmpty()
              ? Hive.get().getTable(truncated.get())
              : tableOf(plan.getOutputs().iterator().next());
      ofTable(table, kind, kind.change(), table.getPath(), false, conf)
          .ifPresent(it -> it.addTo(all));
    }
    return List.copyOf(all.values());
  }

  private void addTo(Map<List<Object>, AffectedTarget> all) {
    all.merge(List.of(target.path(), change, dynamic), this, AffectedTarget::and);
  }

  private AffectedTarget and(AffectedTarget other) {
    Set<Path> both = new LinkedHashSet<>(within);
    both.addAll(other.within);
    return new AffectedTarget(target, words, change, both, dynamic);
  }

  private static Optional<AffectedTarget> of(
      Entity entity, StatementKind kind, Change change, Configuration conf) throws IOException {
    return switch (entity.getType()) {
      case TABLE -> {
        Table table = entity.getTable();
        boolean dynamic = change == Change.REMOVE && table.isPartitioned();
        yield ofTable(table, kind, change, table.getPath(), dynamic, conf);
      }
      case PARTITION, DUMMYPARTITION -> {
        Partition partition = entity.getPartition();
        boolean dynamic =
            entity instanceof WriteEntity written && written.isDynamicPartitionWrite();
        yield ofTable(partition.getTable(), kind, change, locationOf(partition), dynamic, conf);
      }
      case DFS_DIR -> {
        Path path = entity.getD();
        boolean temporary = entity instanceof WriteEntity written && written.isTempURI();
        yield change == Change.REMOVE && !temporary && mayHoldCommits(path, conf)
            ? Optional.of(
                new AffectedTarget(
                    InsertTarget.directory(path), kind.words(), change, Set.of(path), false))
            : Optional.empty();
      }
      default -> Optional.empty();
    };
  }

  /** Empty where the committer has not written there, or the statement leaves the files. */
  private static Optional<AffectedTarget> ofTable(
      Table table,
      StatementKind kind,
      Change change,
      Path within,
      boolean dynamic,
      Configuration conf)
      throws IOException {
    boolean isAffected =
        !table.isView()
            && !table.isMaterializedView()
            && !table.isNonNative()
            && !table.isTemporary()
            && !AcidUtils.isTransactionalTable(table)
            && table.getPath() != null
            && mayHoldCommits(table.getPath(), conf)
            && mayHoldCommits(within, conf)
            && !kind.leavesFilesOf(table);
    return isAffected
        ? Optional.of(
            new AffectedTarget(
                InsertTarget.table(table), kind.words(), change, Set.of(within), dynamic))
        : Optional.empty();
  }

  static Table tableOf(Entity entity) {
    return entity.getPartition() == null ? entity.getTable() : entity.getPartition().getTable();
  }

  private static boolean mayHoldCommits(Path path, Configuration conf) throws IOException {
    return S3AFileSystems.holds(path, conf) && !ObjectKeys.isInDirectoryBucket(path);
  }

  /** Where a partition is, or will be. */
  private static Path locationOf(Partition partition) {
    boolean known =
        !(partition instanceof DummyPartition)
            && partition.getTPartition() != null
            && partition.getTPartition().getSd() != null
            && partition.getTPartition().getSd().getLocation() != null;
    if (known) {
      return new Path(partition.getTPartition().getSd().getLocation());
    }
    List<String> columns = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (FieldSchema column : partition.getTable().getPartitionKeys()) {
      String value = partition.getSpec().get(column.getName());
      if (value == null) {
        break;
      }
      columns.add(column.getName());
      values.add(value);
    }
    Path table = partition.getTable().getPath();
    return columns.isEmpty() ? table : new Path(table, FileUtils.makePartName(columns, values));
  }

  /** Whether a commit writes to it. */
  private boolean isOf(CommitTask commit, Entity entity) {
    CommitWork work = commit.getWork();
    Path destination = work.output().destination();
    // A partition with a location of its own is known by its values.
    boolean named =
        entity.getType() == Entity.Type.PARTITION
            && work.target().path().equals(target.path())
            && !work.fixedPartition().isEmpty()
            && work.fixedPartition().equals(entity.getPartition().getSpec());
    return named
        || within.stream()
            .anyMatch(
                path ->
                    ObjectKeys.isAtOrBelow(path, destination)
                        || ObjectKeys.isAtOrBelow(destination, path));
  }

  /** The statement and its target, for messages. */
  String description() {
    return words + target.name();
  }

  /**
   * The directories whose open entries must be known before the statement begins. With a table also
   * partitions go that lie elsewhere, and rows may choose them, so that each entry of its log
   * counts.
   */
  Set<Path> searched() {
    return change == Change.DROP || dynamic ? Set.of(new Path(target.path(), "/")) : within;
  }

  /**
   * The directories whose files the statement has changed, once Hive has done so.
   *
   * @param scope directories of earlier entries, which may lie outside of a table's location
   */
  Set<Path> changed(QueryPlan plan, Collection<Path> scope) {
    Set<Path> changed = new LinkedHashSet<>(within);
    if (change == Change.DROP) {
      changed.addAll(scope);
    } else if (dynamic) {
      changed.clear();
      for (WriteEntity entity : List.copyOf(plan.getOutputs())) {
        // Another branch of the statement may only have added rows.
        if (entity.getType() == Entity.Type.PARTITION
            && entity.getWriteType() == WriteType.INSERT_OVERWRITE
            && entity.getPartition().getTable().getPath().equals(target.path())) {
          changed.add(locationOf(entity.getPartition()));
        }
      }
    }
    return changed;
  }
}
