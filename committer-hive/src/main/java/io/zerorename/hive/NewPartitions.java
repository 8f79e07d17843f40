package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.Workers;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.metastore.Warehouse;
import org.apache.hadoop.hive.metastore.utils.MetaStoreServerUtils;
import org.apache.hadoop.hive.metastore.utils.MetaStoreUtils;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.thrift.TException;

/**
 * Adds the partitions of a commit that the metastore does not know yet, as Hive's MoveTask would.
 * It is done before that task runs, because where Hive cannot add a partition it deletes the
 * partition's directory, the files of others included; here nothing is deleted. Hive then finds
 * every partition known.
 */
final class NewPartitions {
  /** By its name, because the constant of 4.0.1 has another one. */
  private static final String GATHER_STATISTICS = "hive.stats.autogather";

  private final Hive hive;
  private final Table table;
  private final HiveConf conf;

  NewPartitions(Hive hive, Table table, HiveConf conf) {
    this.hive = requireNonNull(hive, "hive");
    this.table = requireNonNull(table, "table");
    this.conf = requireNonNull(conf, "conf");
  }

  /**
   * Adds them; somebody else may have done so meanwhile.
   *
   * @param names in the form {@code a=1/b=2}, values escaped
   * @throws IOException where the metastore or S3 refuses
   */
  void add(Collection<String> names, CommittedContents contents) throws IOException {
    // Hive fires an event of its own for files in a partition that it finds known, and not for
    // those in one that it adds.
    if (names.isEmpty() || conf.getBoolVar(ConfVars.FIRE_EVENTS_FOR_DML)) {
      return;
    }
    Map<String, Partition> added = new ConcurrentHashMap<>();
    try (Workers workers =
        new Workers(
            Math.max(1, conf.getIntVar(ConfVars.HIVE_LOAD_DYNAMIC_PARTITIONS_THREAD_COUNT)))) {
      workers.forEach(names, name -> added.put(name, partition(name, contents)));
    }
    try {
      hive.getMSC()
          .add_partitions(
              added.values().stream().map(Partition::getTPartition).toList(), true, false);
    } catch (TException | RuntimeException e) {
      throw new IOException(
          "All files of the statement are in place, but the metastore refused its new partitions"
              + " ("
              + names.iterator().next()
              + (names.size() == 1 ? "" : " and " + (names.size() - 1) + " more")
              + ") of "
              + table.getFullyQualifiedName()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private Partition partition(String name, CommittedContents contents) throws IOException {
    try {
      Path location = new Path(table.getDataLocation(), name);
      Partition partition =
          new Partition(table, new HashMap<>(Warehouse.makeSpecFromName(name)), location);
      Map<String, String> parameters = new HashMap<>();
      if (conf.getBoolVar(HiveConf.getConfVars(GATHER_STATISTICS))) {
        StatsSetupConst.setStatsStateForCreateTable(
            parameters, MetaStoreUtils.getColumnNames(table.getCols()), StatsSetupConst.TRUE);
      }
      List<FileStatus> files =
          contents.written(location).isPresent()
              ? contents.written(location).get()
              : filesIn(location);
      MetaStoreServerUtils.populateQuickStats(files, parameters);
      partition.getTPartition().setParameters(parameters);
      return partition;
    } catch (HiveException | TException e) {
      throw new IOException(
          "Cannot describe the partition " + name + " of " + table.getFullyQualifiedName(), e);
    }
  }

  /** What Hive counts; somebody else may have put files there. */
  private List<FileStatus> filesIn(Path location) throws IOException {
    List<FileStatus> files = new ArrayList<>();
    try {
      RemoteIterator<LocatedFileStatus> all =
          location.getFileSystem(conf).listFiles(location, true);
      while (all.hasNext()) {
        FileStatus file = all.next();
        if (isRead(file.getPath(), location)) {
          files.add(file);
        }
      }
    } catch (FileNotFoundException e) {
      return List.of();
    }
    return files;
  }

  private static boolean isRead(Path file, Path location) {
    for (Path path = file; path.depth() > location.depth(); path = path.getParent()) {
      if (!FileUtils.HIDDEN_FILES_PATH_FILTER.accept(path)) {
        return false;
      }
    }
    return true;
  }
}
