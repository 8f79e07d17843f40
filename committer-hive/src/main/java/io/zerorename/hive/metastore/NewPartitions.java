package io.zerorename.hive.metastore;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.parallel.Workers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.metastore.Warehouse;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.utils.MetaStoreUtils;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.apache.thrift.TException;

/**
 * Adds the partitions of a commit that the metastore does not know yet. Where it cannot add one,
 * nothing is deleted: Hive's MoveTask deletes its directory, with the files of others.
 */
public final class NewPartitions {
  private final Hive hive;
  private final Table table;
  private final String jobId;
  private final HiveConf conf;
  private final LogHelper console;

  /** How many files of others are where a partition is added, by its name. */
  private final Map<String, Long> others = new ConcurrentSkipListMap<>();

  private final Map<String, Partition> added = new ConcurrentSkipListMap<>();
  private final List<Partition> existing = new ArrayList<>();
  private final Set<String> replaced = new HashSet<>();

  /**
   * @param jobId by which the names of the commit's own files are known
   */
  public NewPartitions(Hive hive, Table table, String jobId, HiveConf conf, LogHelper console) {
    this.hive = requireNonNull(hive, "hive");
    this.table = requireNonNull(table, "table");
    this.jobId = requireNonNull(jobId, "jobId");
    this.conf = requireNonNull(conf, "conf");
    this.console = requireNonNull(console, "console");
  }

  /**
   * Adds them, but for those that a later entry of the log replaces; another process may have done
   * so meanwhile.
   *
   * @param allNames in the form {@code a=1/b=2}, values escaped
   * @param replacedLater as the log shows it now
   * @param contents says what the commit has written
   * @param left files of others that stay, by the places where partitions are added
   * @throws IOException where the metastore or S3 refuses
   */
  public void add(
      Collection<String> allNames,
      Predicate<Path> replacedLater,
      CommittedContents contents,
      Map<Path, FileTotals> left)
      throws IOException {
    List<String> names = new ArrayList<>();
    for (String name : allNames) {
      if (replacedLater.test(placeOf(name))) {
        replaced.add(name);
      } else {
        names.add(name);
      }
    }
    if (names.isEmpty()) {
      return;
    }
    Map<String, Partition> described = new ConcurrentSkipListMap<>();
    Workers workers =
        new Workers(
            Math.max(1, conf.getIntVar(ConfVars.HIVE_LOAD_DYNAMIC_PARTITIONS_THREAD_COUNT)),
            CoreKeys.PROCESS_THREADS.from(conf));
    workers.forEach(names, name -> described.put(name, partition(name, contents, left)));
    // The workers' threads have no session and so no console.
    names.stream().filter(others::containsKey).forEach(this::sayOthers);
    try {
      List<String> columns = table.getPartitionKeys().stream().map(FieldSchema::getName).toList();
      Set<String> own = new HashSet<>();
      hive.getMSC()
          .add_partitions(
              described.values().stream().map(Partition::getTPartition).toList(), true, true)
          .forEach(it -> own.add(FileUtils.makePartName(columns, it.getValues())));
      findExisting(names.stream().filter(name -> !own.contains(name)).toList());
      described.keySet().retainAll(own);
      added.putAll(described);
    } catch (TException | HiveException | RuntimeException e) {
      throw new IOException(
          ("ZR-5306: All files of the statement are in place, but the metastore refused its new"
                  + " partitions (%s%s) of %s: %s")
              .formatted(
                  names.get(0),
                  names.size() == 1 ? "" : " and " + (names.size() - 1) + " more",
                  table.getFullyQualifiedName(),
                  e.getMessage()),
          e);
    }
  }

  /** Those that were added here. */
  public Map<String, Partition> added() {
    return Map.copyOf(added);
  }

  /** Those that another process had added before, as they are. */
  public List<Partition> existing() {
    return List.copyOf(existing);
  }

  /** Names of those that were not added, because a later entry replaces them. */
  public Set<String> replaced() {
    return Set.copyOf(replaced);
  }

  /** Names of those with files of others, whose rows are not counted. */
  public Set<String> uncounted() {
    return Set.copyOf(others.keySet());
  }

  /** Another process has added them: Hive reads at the locations that it gave them. */
  private void findExisting(List<String> names) throws HiveException, IOException {
    if (names.isEmpty()) {
      return;
    }
    for (Partition partition : hive.getPartitionsByNames(table, names)) {
      Path place = placeOf(partition.getName());
      if (!partition.getDataLocation().equals(place)) {
        throw new IOException(
            ("ZR-5302: All files of the statement are in place, but while they were written"
                    + " another program gave the partition %s of %s the location %s, so that its"
                    + " rows in %s are not read. Move the files there, or the partition here.")
                .formatted(
                    partition.getName(),
                    table.getFullyQualifiedName(),
                    partition.getDataLocation(),
                    place));
      }
      existing.add(partition);
    }
  }

  private Partition partition(String name, CommittedContents contents, Map<Path, FileTotals> left)
      throws IOException {
    try {
      Path location = placeOf(name);
      Partition partition =
          new Partition(table, new HashMap<>(Warehouse.makeSpecFromName(name)), location);
      Optional<FileTotals> written = Optional.ofNullable(contents.written().get(location));
      // Another process has completed the commit, and its plan is gone.
      List<FileStatus> found = written.isPresent() ? List.of() : CountedFiles.in(location, conf);
      FileTotals stay = left.getOrDefault(location, FileTotals.NONE);
      long foreign =
          written.isPresent()
              ? stay.files()
              : found.stream().filter(it -> !it.getPath().getName().contains(jobId)).count();
      if (foreign > 0) {
        others.put(name, foreign);
      }
      Map<String, String> parameters = new HashMap<>();
      if (foreign == 0 && StoredStatistics.areGathered(conf)) {
        StatsSetupConst.setStatsStateForCreateTable(
            parameters, MetaStoreUtils.getColumnNames(table.getCols()), StatsSetupConst.TRUE);
      }
      written.map(stay::and).orElseGet(() -> FileTotals.of(found)).note(parameters);
      partition.getTPartition().setParameters(parameters);
      return partition;
    } catch (HiveException | TException e) {
      throw new IOException(
          "ZR-5303: Cannot describe the partition " + name + " of " + table.getFullyQualifiedName(),
          e);
    }
  }

  private Path placeOf(String name) {
    return new Path(table.getDataLocation(), name);
  }

  private void sayOthers(String name) {
    console.printInfo(
        "zero-rename: %s gets the partition at %s with %s files that were there before"
            .formatted(table.getFullyQualifiedName(), placeOf(name), others.get(name)));
  }
}
