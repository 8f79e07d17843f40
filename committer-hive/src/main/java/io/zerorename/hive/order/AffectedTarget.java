package io.zerorename.hive.order;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
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
import org.apache.hadoop.hive.metastore.TableType;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.ddl.DDLWork;
import org.apache.hadoop.hive.ql.ddl.table.misc.truncate.TruncateTableDesc;
import org.apache.hadoop.hive.ql.exec.Task;
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
 * @param words how a person calls the statement, where it removes files
 * @param within the directories in which it may change files, with all that is below them
 * @param dynamic whether rows decide in which partitions below those
 */
record AffectedTarget(
    InsertTarget target, String words, Change change, Set<Path> within, boolean dynamic) {
  /** What becomes of the files that are there. */
  enum Change {
    /** They are removed or replaced. */
    REMOVE,
    /** They are removed, and the table with them. */
    DROP,
    /** Each row stays. Others may come, and files may be moved or written anew. */
    KEEP
  }

  /**
   * What a statement does.
   *
   * @param words how a person calls it, where it removes files
   */
  private record Kind(Change change, String words) {}

  private static final Kind INSERT = new Kind(Change.KEEP, "INSERT OVERWRITE of ");
  private static final Kind KEEP = new Kind(Change.KEEP, "");

  /**
   * Statements that change files, by the names of Hive's operations. For those that write rows each
   * target tells whether it is overwritten.
   */
  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          Map.entry("TRUNCATETABLE", new Kind(Change.REMOVE, "TRUNCATE TABLE ")),
          Map.entry("ALTERTABLE_DROPPARTS", new Kind(Change.REMOVE, "DROP PARTITION of ")),
          Map.entry("DROPTABLE", new Kind(Change.DROP, "DROP TABLE ")),
          Map.entry("DROPDATABASE", new Kind(Change.DROP, "DROP DATABASE with ")),
          Map.entry("QUERY", INSERT),
          Map.entry("EXECUTE", INSERT),
          Map.entry("LOAD", new Kind(Change.KEEP, "LOAD DATA OVERWRITE INTO ")),
          Map.entry("IMPORT", KEEP),
          Map.entry("ALTERTABLE_MERGEFILES", KEEP),
          Map.entry("ALTERPARTITION_MERGEFILES", KEEP),
          Map.entry("ALTERTABLE_RENAME", KEEP),
          Map.entry("ALTERTABLE_RENAMEPART", KEEP),
          Map.entry("ALTERTABLE_LOCATION", KEEP),
          Map.entry("ALTERPARTITION_LOCATION", KEEP),
          Map.entry("ALTERTABLE_EXCHANGEPARTITION", KEEP),
          Map.entry("ALTERTABLE_ARCHIVE", KEEP),
          Map.entry("MSCK", KEEP));

  /** Of these Hive does not name the source among what they write. */
  private static final String EXCHANGE = "ALTERTABLE_EXCHANGEPARTITION";

  /** These leave the files of an external table, unless it is to be purged. */
  private static final Set<String> DROPS =
      Set.of("ALTERTABLE_DROPPARTS", "DROPTABLE", "DROPDATABASE");

  /** These replace what lies in a directory that they write to. */
  private static final Set<String> QUERIES = Set.of("QUERY", "EXECUTE");

  private static final String PURGE = "external.table.purge";

  AffectedTarget {
    requireNonNull(target, "target");
    requireNonNull(words, "words");
    requireNonNull(change, "change");
    within = Set.copyOf(within);
  }

  /**
   * The targets of a statement that the committer does not commit itself.
   *
   * @param commits what it does commit
   * @throws HiveException where the metastore does not know the table that is truncated
   */
  static List<AffectedTarget> of(QueryPlan plan, Collection<CommitTask> commits, Configuration conf)
      throws IOException, HiveException {
    String operation = plan.getOperation() == null ? "" : plan.getOperation().name();
    Optional<TruncateTableDesc> truncate = truncate(plan);
    // With columns it rewrites files, and each row stays.
    Kind kind =
        truncate.filter(it -> it.getColumnIndexes() != null).isPresent()
            ? KEEP
            : KINDS.get(operation);
    if (kind == null) {
      return List.of();
    }
    // One for each table and kind of change, however many partitions there are.
    Map<List<Object>, AffectedTarget> all = new LinkedHashMap<>();
    for (WriteEntity entity : List.copyOf(plan.getOutputs())) {
      if (onlyDescribes(entity, operation)) {
        continue;
      }
      Kind ofEntity =
          kind.change() == Change.KEEP && overwrites(entity, operation)
              ? new Kind(Change.REMOVE, kind.words())
              : kind;
      of(entity, ofEntity, operation, conf)
          .filter(it -> commits.stream().noneMatch(commit -> it.isOf(commit, entity)))
          .ifPresent(it -> add(it, all));
    }
    if (operation.equals(EXCHANGE)) {
      for (ReadEntity entity : List.copyOf(plan.getInputs())) {
        of(entity, kind, operation, conf).ifPresent(it -> add(it, all));
      }
    }
    if (kind.change() == Change.REMOVE
        && truncate.filter(it -> it.getPartSpec() == null).isPresent()) {
      // Hive names the partitions that it knows. One of an interrupted INSERT may not be among
      // them.
      Table table =
          plan.getOutputs().isEmpty()
              ? Hive.get().getTable(truncate.get().getFullTableName())
              : tableOf(plan.getOutputs().iterator().next());
      if (isConcerned(table, operation, conf)) {
        add(wholeTable(table, kind), all);
      }
    }
    return List.copyOf(all.values());
  }

  private static AffectedTarget wholeTable(Table table, Kind kind) {
    return new AffectedTarget(
        InsertTarget.table(table), kind.words(), kind.change(), Set.of(table.getPath()), false);
  }

  private static Table tableOf(Entity entity) {
    return entity.getPartition() == null ? entity.getTable() : entity.getPartition().getTable();
  }

  private static Optional<TruncateTableDesc> truncate(QueryPlan plan) {
    return plan.getRootTasks().stream()
        .map(Task::getWork)
        .filter(DDLWork.class::isInstance)
        .map(work -> ((DDLWork) work).getDDLDesc())
        .filter(TruncateTableDesc.class::isInstance)
        .map(TruncateTableDesc.class::cast)
        .findFirst();
  }

  /** The statement in a person's words. */
  String description() {
    return words + target.name();
  }

  private static void add(AffectedTarget one, Map<List<Object>, AffectedTarget> all) {
    all.merge(List.of(one.target.path(), one.change, one.dynamic), one, AffectedTarget::and);
  }

  private AffectedTarget and(AffectedTarget other) {
    Set<Path> both = new LinkedHashSet<>(within);
    both.addAll(other.within);
    return new AffectedTarget(target, words, change, both, dynamic);
  }

  /** ANALYZE is a query to Hive, and writes nothing but statistics. */
  private static boolean onlyDescribes(WriteEntity entity, String operation) {
    return QUERIES.contains(operation)
        && (entity.getWriteType() == WriteType.DDL_SHARED
            || entity.getWriteType() == WriteType.DDL_NO_LOCK);
  }

  private static boolean overwrites(WriteEntity entity, String operation) {
    return entity.getWriteType() == WriteType.INSERT_OVERWRITE
        || (entity.getWriteType() == WriteType.PATH_WRITE && QUERIES.contains(operation));
  }

  private static Optional<AffectedTarget> of(
      Entity entity, Kind kind, String operation, Configuration conf) throws IOException {
    Change change = kind.change();
    switch (entity.getType()) {
      case TABLE -> {
        Table table = entity.getTable();
        boolean dynamic = change == Change.REMOVE && table.isPartitioned();
        return isConcerned(table, operation, conf)
            ? Optional.of(
                new AffectedTarget(
                    InsertTarget.table(table),
                    kind.words(),
                    change,
                    Set.of(table.getPath()),
                    dynamic))
            : Optional.empty();
      }
      case PARTITION, DUMMYPARTITION -> {
        Table table = entity.getPartition().getTable();
        Path location = locationOf(entity.getPartition());
        boolean dynamic =
            entity instanceof WriteEntity written && written.isDynamicPartitionWrite();
        return isConcerned(table, operation, conf) && S3AFileSystems.holds(location, conf)
            ? Optional.of(
                new AffectedTarget(
                    InsertTarget.table(table), kind.words(), change, Set.of(location), dynamic))
            : Optional.empty();
      }
      case DFS_DIR -> {
        Path path = entity.getD();
        boolean temporary = entity instanceof WriteEntity written && written.isTempURI();
        return change == Change.REMOVE && !temporary && S3AFileSystems.holds(path, conf)
            ? Optional.of(
                new AffectedTarget(
                    InsertTarget.directory(path), kind.words(), change, Set.of(path), false))
            : Optional.empty();
      }
      default -> {
        return Optional.empty();
      }
    }
  }

  /** Whether commits of this project may have been there, and the statement changes files. */
  private static boolean isConcerned(Table table, String operation, Configuration conf)
      throws IOException {
    return !table.isView()
        && !table.isMaterializedView()
        && !table.isNonNative()
        && !table.isTemporary()
        && !AcidUtils.isTransactionalTable(table)
        && table.getPath() != null
        && S3AFileSystems.holds(table.getPath(), conf)
        && (!DROPS.contains(operation) || isPurged(table));
  }

  /** Of other external tables Hive drops the name only, and the files stay. */
  private static boolean isPurged(Table table) {
    return table.getTableType() == TableType.MANAGED_TABLE
        || "true".equalsIgnoreCase(table.getProperty(PURGE));
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

  /**
   * The directories whose open entries must be known before the statement begins. With a table also
   * partitions go that lie elsewhere, so that each entry of its log counts.
   */
  Set<Path> concerned() {
    return change == Change.DROP ? Set.of(new Path(target.path(), "/")) : within;
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
