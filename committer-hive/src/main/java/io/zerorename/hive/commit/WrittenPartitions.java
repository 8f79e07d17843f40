package io.zerorename.hive.commit;

import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.metastore.StagedPartitions;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.metastore.Warehouse;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * The partitions that an INSERT writes: those that its rows have chosen, read from the staging
 * directory, or the one that the statement names. What Hive's MoveTask would refuse is refused
 * here, before the commit instead of after it.
 */
final class WrittenPartitions {
  /** By its name, because the constant of 3.1 has another one. */
  private static final String MOST_PARTITIONS = "hive.exec.max.dynamic.partitions";

  private final CommitWork work;
  private final List<String> names;
  private List<Partition> known = List.of();

  private WrittenPartitions(CommitWork work, List<String> names) {
    this.work = work;
    this.names = names;
  }

  /** None where the table has none. */
  static WrittenPartitions of(CommitWork work, HiveConf conf) throws IOException {
    if (work.isDynamic()) {
      Path staging = work.output().staging();
      FileSystem scratch = staging.getFileSystem(conf);
      return new WrittenPartitions(
          work,
          StagedPartitions.in(scratch, staging, work.dynamicColumns()).stream()
              .map(partition -> fixedLevels(work) + below(staging, partition))
              .toList());
    }
    if (work.fixedPartition().isEmpty()) {
      return new WrittenPartitions(work, List.of());
    }
    List<FieldSchema> columns = work.target().table().orElseThrow().getPartitionKeys();
    List<String> names = columns.stream().map(FieldSchema::getName).toList();
    List<String> values = names.stream().map(work.fixedPartition()::get).toList();
    return new WrittenPartitions(work, List.of(FileUtils.makePartName(names, values)));
  }

  /** What the names of dynamic partitions begin with: "", or the static part with a slash. */
  private static String fixedLevels(CommitWork work) {
    String prefix = below(work.target().path(), work.output().destination());
    return prefix.isEmpty() ? "" : prefix + "/";
  }

  /** The part of a path below another, without a slash before it; "" for the same path. */
  private static String below(Path root, Path path) {
    String above = root.toUri().getPath();
    String text = path.toUri().getPath();
    if (!text.startsWith(above)) {
      throw new IllegalArgumentException(path + " is not below " + root);
    }
    String rest = text.substring(above.length());
    return rest.startsWith("/") ? rest.substring(1) : rest;
  }

  /** Refuses what the user's limits forbid. */
  void refuseBeyondLimits(HiveConf conf) throws IOException {
    if (!work.isDynamic()) {
      return;
    }
    if (names.isEmpty() && conf.getBoolVar(ConfVars.HIVE_ERROR_ON_EMPTY_PARTITION)) {
      throw new IOException(
          ("ZR-5228: %s was not committed: it creates no partition and %s is true. Nothing was"
                  + " changed; set it to false if that is no error.")
              .formatted(work.description(), ConfVars.HIVE_ERROR_ON_EMPTY_PARTITION.varname));
    }
    int limit = conf.getIntVar(HiveConf.getConfVars(MOST_PARTITIONS));
    if (names.size() > limit) {
      throw new IOException(
          ("ZR-5229: %s was not committed: it creates %s dynamic partitions and %s is %s."
                  + " Nothing was changed; set it to at least %s and run it again.")
              .formatted(work.description(), names.size(), MOST_PARTITIONS, limit, names.size()));
    }
  }

  /**
   * The table as it is now; none for a directory, and for a new table that is created after its
   * files are in place. Refuses one that is not what it was when the statement was compiled.
   */
  Optional<Table> table(Hive hive) throws IOException, HiveException {
    InsertTarget target = work.target();
    if (target.table().isEmpty() || (target.isNewTable() && !work.isDynamic())) {
      return Optional.empty();
    }
    Table planned = target.table().get();
    Table table = hive.getTable(planned.getDbName(), planned.getTableName(), false);
    if (table != null && !target.path().equals(table.getDataLocation())) {
      throw new IOException(
          ("ZR-5233: %s was not committed: the table is at %s, and the files were written for"
                  + " %s, where no query reads them. %s")
              .formatted(
                  work.description(),
                  table.getDataLocation(),
                  target.path(),
                  target.isNewTable()
                      ? "Nothing but the empty table was made; drop it, give LOCATION and run the"
                          + " statement again."
                      : "Nothing was changed; run it again."));
    }
    String change = "";
    if (table == null) {
      change = "the table was dropped or renamed";
    } else if (!target.isNewTable()
        && planned.getTTable().getCreateTime() != table.getTTable().getCreateTime()) {
      change = "the table was dropped and created again";
    } else if (AcidUtils.isTransactionalTable(table)) {
      change = "the table was made transactional, and Hive does not read what is not in a delta";
    } else if (table.isNonNative()) {
      change =
          "the table got the storage handler %s, which does not read files that only lie there"
              .formatted(table.getProperty("storage_handler"));
    }
    if (!change.isEmpty()) {
      throw new IOException(
          ("ZR-5230: %s was not committed: while it ran, %s. Nothing was changed; run it again if"
                  + " there is a table for its rows.")
              .formatted(work.description(), change));
    }
    return Optional.of(table);
  }

  /**
   * Refuses a partition whose location the statement does not know, because it was given after the
   * statement was compiled, or was not asked for: Hive would read there, and the files are
   * elsewhere. Refuses one that the metastore would not take.
   *
   * @param table as it is now
   * @return the names of those that the metastore does not know yet
   */
  Set<String> refuseMoved(Hive hive, Optional<Table> table, Configuration conf)
      throws IOException, HiveException {
    if (names.isEmpty()) {
      return Set.of();
    }
    known = List.copyOf(hive.getPartitionsByNames(table.orElseThrow(), names));
    Set<String> created = new HashSet<>(names);
    for (Partition partition : known) {
      if (!created.remove(partition.getName())) {
        throw new IOException(
            ("ZR-5245: %s was not committed: the metastore takes its partition %s for one that the"
                    + " statement writes, and the rows would be invisible. Nothing was changed."
                    + " Perhaps the metastore's database does not tell upper from lower case, or blanks"
                    + " at the end of a value from none.")
                .formatted(work.description(), partition.getName()));
      }
      if (!partition.getDataLocation().equals(locationOf(partition.getName()))) {
        throw moved(partition.getName() + " is at " + partition.getDataLocation(), conf);
      }
    }
    for (String name : created) {
      if (!locationOf(name).equals(defaultLocation(name))) {
        throw moved(name + " at " + locationOf(name) + " was dropped", conf);
      }
    }
    for (String name : unchecked(created)) {
      try {
        hive.validatePartitionNameCharacters(Warehouse.getPartValuesFromPartName(name));
      } catch (HiveException | MetaException e) {
        // It would refuse it only after the commit.
        throw new IOException(
            ("ZR-5224: %s was not committed: the metastore takes no partition %s: %s Nothing was"
                    + " changed.")
                .formatted(work.description(), name, e.getMessage()),
            e);
      }
    }
    return created;
  }

  /**
   * Tasks have checked what rows have chosen (FileSinkOperator), and not what the statement says.
   */
  private Collection<String> unchecked(Set<String> created) {
    if (!work.isDynamic()) {
      return created;
    }
    String fixed = fixedLevels(work);
    return created.isEmpty() || fixed.isEmpty()
        ? List.of()
        : List.of(fixed.substring(0, fixed.length() - 1));
  }

  private IOException moved(String what, Configuration conf) {
    return new IOException(
        ("ZR-5232: %s was not committed: its partition %s, and its rows would be invisible. Nothing"
                + " was changed; run it again. If the table has more partitions than %s (%s), set"
                + " that above their number first.")
            .formatted(
                work.description(),
                what,
                HiveKeys.ASKED_LOCATIONS.name(),
                HiveKeys.ASKED_LOCATIONS.from(conf)));
  }

  /**
   * Names of those that {@link #refuseMoved} found and that were dropped since. One request.
   *
   * @param table as it was then
   */
  Set<String> dropped(Hive hive, Optional<Table> table) throws HiveException {
    Set<String> names = known.stream().map(Partition::getName).collect(Collectors.toSet());
    if (!names.isEmpty()) {
      hive.getPartitionsByNames(table.orElseThrow(), List.copyOf(names))
          .forEach(partition -> names.remove(partition.getName()));
    }
    return names;
  }

  /** Those that the metastore knew when {@link #refuseMoved} asked it. */
  List<Partition> known() {
    return known;
  }

  /** Where the files of some are, by their names. */
  Map<String, Path> places(Set<String> some) {
    return some.stream().collect(Collectors.toMap(name -> name, this::locationOf));
  }

  /** Where the tasks have put the files of a partition. */
  private Path locationOf(String name) {
    return work.fixedPartition().isEmpty() ? defaultLocation(name) : work.output().destination();
  }

  private Path defaultLocation(String name) {
    return new Path(work.target().path(), name);
  }

  /** Whether the INSERT writes partitions, and no others. */
  boolean areAll(Set<String> partitions) {
    return !names.isEmpty() && partitions.containsAll(names);
  }
}
