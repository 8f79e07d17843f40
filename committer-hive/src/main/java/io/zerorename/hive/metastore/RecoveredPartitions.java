package io.zerorename.hive.metastore;

import io.zerorename.core.store.ObjectKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.metastore.Warehouse;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of a commit that another process has left: new ones are added to the metastore,
 * and the statistics of the others are marked as unknown.
 */
public final class RecoveredPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveredPartitions.class);

  /** How many partitions a message names. */
  private static final int MOST_NAMED = 10;

  private final Hive hive;
  private final Table table;
  private final List<String> added = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private Optional<TException> refusal = Optional.empty();

  public RecoveredPartitions(Hive hive, Table table) {
    this.hive = hive;
    this.table = table;
  }

  /**
   * Brings the metastore up to date with directories in which files were added or replaced.
   *
   * @param counted whether that is in the statistics of the partitions that the metastore knows
   * @throws HiveException where the metastore refuses some partitions, after it has taken the
   *     others
   */
  public void register(Collection<Path> directories, boolean counted)
      throws HiveException, TException {
    Set<String> names = new LinkedHashSet<>();
    Set<Path> elsewhere = new LinkedHashSet<>();
    for (Path directory : directories) {
      nameOf(directory).ifPresentOrElse(names::add, () -> elsewhere.add(directory));
    }
    List<Partition> known = new ArrayList<>(hive.getPartitionsByNames(table, List.copyOf(names)));
    known.addAll(new PartitionLocations(hive, table).allAt(elsewhere));
    known.forEach(partition -> names.remove(partition.getName()));
    add(List.copyOf(names));
    if (!known.isEmpty() && !counted) {
      new StoredStatistics(hive, table, known).forget(false);
    }
    if (refusal.isPresent()) {
      throw new HiveException(
          "ZR-5305: the metastore refuses " + some(refused) + ": " + refusal.get().getMessage(),
          refusal.get());
    }
  }

  /** For the user, also where the metastore has refused others. */
  public List<String> messages() {
    return added.size() > MOST_NAMED
        ? List.of("Partitions " + some(added) + " were added to the metastore.")
        : added.stream().map(it -> "Partition " + it + " was added to the metastore.").toList();
  }

  private static String some(List<String> names) {
    return names.size() <= MOST_NAMED
        ? names.toString()
        : names.subList(0, MOST_NAMED) + " and " + (names.size() - MOST_NAMED) + " more";
  }

  /** Adds partitions together, or in halves where the metastore refuses one of them. */
  private void add(List<String> names) throws HiveException, TException {
    if (names.isEmpty() || isAdded(names)) {
      return;
    }
    if (names.size() > 1) {
      add(names.subList(0, names.size() / 2));
      add(names.subList(names.size() / 2, names.size()));
    }
  }

  private boolean isAdded(List<String> names) throws HiveException, TException {
    List<org.apache.hadoop.hive.metastore.api.Partition> partitions = new ArrayList<>();
    for (String name : names) {
      Path location = new Path(table.getDataLocation(), name);
      HashMap<String, String> values = new HashMap<>(Warehouse.makeSpecFromName(name));
      partitions.add(new Partition(table, values, location).getTPartition());
    }
    try {
      // Another process may have added some of them.
      hive.getMSC().add_partitions(partitions, true, false);
      added.addAll(names);
      return true;
    } catch (TTransportException e) {
      // The metastore does not answer.
      throw e;
    } catch (TException e) {
      LOG.info("The metastore refuses some of {} partitions of {}", names.size(), table, e);
      if (names.size() == 1) {
        refused.addAll(names);
        refusal = refusal.or(() -> Optional.of(e));
      }
      return false;
    }
  }

  /** The partition that lies by default in a directory; empty where that is none of this table. */
  private Optional<String> nameOf(Path directory) {
    String root = ObjectKeys.prefixOf(table.getPath());
    String prefix = ObjectKeys.prefixOf(directory);
    if (!ObjectKeys.isAtOrBelow(directory, table.getPath()) || !prefix.startsWith(root)) {
      return Optional.empty();
    }
    String name = prefix.equals(root) ? "" : prefix.substring(root.length(), prefix.length() - 1);
    // The metastore takes no empty value.
    String levels =
        table.getPartitionKeys().stream()
            .map(it -> Pattern.quote(StagedPartitions.prefixOf(it.getName())) + "[^/]+")
            .collect(Collectors.joining("/"));
    return name.matches("(?s)" + levels) ? Optional.of(name) : Optional.empty();
  }
}
