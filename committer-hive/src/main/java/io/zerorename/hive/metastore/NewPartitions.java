package io.zerorename.hive.metastore;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
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
  private final HiveConf conf;
  private final LogHelper console;
  private final List<Partition> added = new ArrayList<>();
  private final List<Partition> existing = new ArrayList<>();
  private final Set<String> replaced = new HashSet<>();
  private final Set<String> uncounted = new HashSet<>();

  public NewPartitions(Hive hive, HiveConf conf, LogHelper console) {
    this.hive = hive;
    this.conf = conf;
    this.console = console;
  }

  /**
   * Adds them, but for those that a later entry of the log replaces; another process may have done
   * so meanwhile.
   *
   * @param places of the partitions by their names, which have the form {@code a=1/b=2}, values
   *     escaped; one that was dropped meanwhile may have had a location of its own, where its files
   *     are
   * @param replacedLater as the log shows it now
   * @param written the commit's own files, by place; of another place the metastore counts them
   * @param others files of others that stay there
   * @throws IOException where the metastore refuses
   */
  public void add(
      Table table,
      Map<String, Path> places,
      Predicate<Path> replacedLater,
      Map<Path, FileTotals> written,
      Map<Path, FileTotals> others)
      throws IOException {
    for (Map.Entry<String, Path> entry : places.entrySet()) {
      if (replacedLater.test(entry.getValue())) {
        replaced.add(entry.getKey());
      }
    }
    List<String> names =
        places.keySet().stream().filter(it -> !replaced.contains(it)).sorted().toList();
    if (names.isEmpty()) {
      return;
    }
    try {
      List<Partition> described = new ArrayList<>();
      for (String name : names) {
        Path place = places.get(name);
        described.add(
            partition(
                table,
                name,
                place,
                Optional.ofNullable(written.get(place)),
                others.getOrDefault(place, FileTotals.NONE)));
      }
      List<String> columns = table.getPartitionKeys().stream().map(FieldSchema::getName).toList();
      Set<String> own = new HashSet<>();
      hive.getMSC()
          .add_partitions(described.stream().map(Partition::getTPartition).toList(), true, true)
          .forEach(it -> own.add(FileUtils.makePartName(columns, it.getValues())));
      findExisting(table, names.stream().filter(name -> !own.contains(name)).toList(), places);
      described.stream().filter(it -> own.contains(it.getName())).forEach(added::add);
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
  public List<Partition> added() {
    return List.copyOf(added);
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
    return Set.copyOf(uncounted);
  }

  /** Another process has added them: Hive reads at the locations that it gave them. */
  private void findExisting(Table table, List<String> names, Map<String, Path> places)
      throws HiveException, IOException {
    if (names.isEmpty()) {
      return;
    }
    for (Partition partition : hive.getPartitionsByNames(table, names)) {
      Path place = places.get(partition.getName());
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

  private Partition partition(
      Table table, String name, Path place, Optional<FileTotals> written, FileTotals others)
      throws HiveException, TException {
    Partition partition =
        new Partition(table, new HashMap<>(Warehouse.makeSpecFromName(name)), place);
    Map<String, String> parameters = new HashMap<>();
    if (written.isEmpty()) {
      uncounted.add(name);
    } else if (others.files() > 0) {
      uncounted.add(name);
      console.printInfo(
          "zero-rename: %s gets the partition at %s with %s files that were there before"
              .formatted(table.getFullyQualifiedName(), place, others.files()));
    } else if (StoredStatistics.areGathered(conf)) {
      StatsSetupConst.setStatsStateForCreateTable(
          parameters, MetaStoreUtils.getColumnNames(table.getCols()), StatsSetupConst.TRUE);
    }
    written.ifPresent(it -> it.and(others).note(parameters));
    partition.getTPartition().setParameters(parameters);
    return partition;
  }
}
