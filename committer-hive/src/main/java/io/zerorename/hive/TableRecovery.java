package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitLogs;
import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.ListingAhead;
import io.zerorename.core.commit.Recovered;
import io.zerorename.core.commit.Recovery;
import io.zerorename.core.commit.RecoveryEngine;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.magic.job.SuccessMarker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.Warehouse;
import org.apache.hadoop.hive.metastore.api.AlreadyExistsException;
import org.apache.hadoop.hive.metastore.api.EnvironmentContext;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;

/**
 * Brings to their end the commits that other processes have left open at a table, or at a
 * directory, before it is written again. What the killed query would have told the metastore is
 * told here: partitions are added, and statistics that are wrong now are no longer taken for right.
 */
final class TableRecovery implements RecoveryEngine {
  /** So many refused partitions are named in a message. */
  private static final int NAMED = 10;

  private final Hive hive;
  private final InsertTarget target;
  private final ObjectStores stores;
  private final HiveConf conf;
  private final WorkDirectory work;
  private final List<String> told = new ArrayList<>();

  /** Of the table's partitions, as they were when a commit was first checked. */
  private Optional<Set<Path>> locations = Optional.empty();

  TableRecovery(Hive hive, InsertTarget target, ObjectStores stores, HiveConf conf)
      throws IOException {
    this.hive = requireNonNull(hive, "hive");
    this.target = requireNonNull(target, "target");
    this.stores = requireNonNull(stores, "stores");
    this.conf = requireNonNull(conf, "conf");
    this.work = WorkDirectory.of(HiveWorkDirectory.of(conf), conf);
  }

  /**
   * Recovers what can be ended at once. An overwrite does not rely upon it, but on {@link #clear}.
   *
   * @param log the directory of the log in which the table's next commit will be decided
   * @return what to tell the user
   */
  List<String> run(Path log) throws IOException {
    for (Recovery recovery : recoveries(log)) {
      for (Recovered result : recovery.runUnlessVain(patience())) {
        if (!(result instanceof Recovered.UnderWay)) {
          told.add(result.message());
        }
      }
    }
    return List.copyOf(told);
  }

  /**
   * Recovers all that is open in some directories, before their files are replaced.
   *
   * @param ownJobIds the job that replaces them, and those of the statement's other targets
   * @param replaced those directories
   * @throws IOException where that is not possible now
   */
  List<String> clear(Path log, Set<String> ownJobIds, Set<Path> replaced) throws IOException {
    for (Recovery recovery : recoveries(log)) {
      recovery.clear(patience(), ownJobIds, replaced).forEach(result -> told.add(result.message()));
    }
    return List.copyOf(told);
  }

  /**
   * A look for another thread, which only reads: whether {@link #clear} would find nothing to do.
   * The parameters are those of that.
   */
  ListingAhead.Look look(Path log, Set<String> ownJobIds, Set<Path> replaced) throws IOException {
    List<Recovery> recoveries = recoveries(log);
    return () -> {
      for (Recovery recovery : recoveries) {
        if (!recovery.isClear(ownJobIds, replaced)) {
          return false;
        }
      }
      return true;
    };
  }

  private List<Recovery> recoveries(Path log) throws IOException {
    return new CommitLogs(stores, conf, Optional.of(work))
        .all(target.path(), log).stream()
            .map(
                it ->
                    new Recovery(
                        stores,
                        it,
                        CommitSettings.from(conf, ObjectKeys.bucketOf(target.path())),
                        this))
            .toList();
  }

  private Duration patience() {
    return Duration.ofSeconds(
        CoreKeys.RECOVERY_PATIENCE.from(conf, ObjectKeys.bucketOf(target.path())));
  }

  @Override
  public boolean mayWrite(Path root) throws IOException {
    if (ObjectKeys.isAtOrBelow(root, target.path())) {
      return true;
    }
    if (target.kind() != InsertTarget.Kind.TABLE) {
      return false;
    }
    try {
      if (locations.filter(known -> known.contains(root)).isEmpty()) {
        // One request for all roots of all commits, unless one was added since.
        locations = Optional.of(new PartitionLocations(hive, target.table().get()).locations());
      }
      return locations.get().contains(root);
    } catch (HiveException | TException e) {
      throw new IOException(
          "Cannot ask the metastore whether a partition of " + target.name() + " is at " + root, e);
    }
  }

  /** Files of a table that was dropped must not appear in one that has taken its place. */
  @Override
  public Optional<String> refuses(OutputJob job) {
    return target
        .otherThan(job.attributes())
        .map(
            other ->
                "It is for "
                    + other
                    + (target.kind() == InsertTarget.Kind.DIRECTORY
                        ? ", which an INSERT into that table ends"
                        : ", and at "
                            + target.path()
                            + " there is "
                            + target.name()
                            + " now, which was created at another time")
                    + ". If that table is gone, end the"
                    + " commit by: zerorename recover --give-up --job "
                    + job.id()
                    + " "
                    + target.path());
  }

  @Override
  public Optional<JobDirectory> records(OutputJob job) throws IOException {
    return work.recordsOf(job);
  }

  @Override
  public void end(CommitPlan plan) throws IOException {
    if (SuccessMarker.isConcerned(plan)) {
      new SuccessMarker(stores).recovered(plan);
    }
    if (target.table().isEmpty()) {
      return;
    }
    try {
      Table planned = target.table().get();
      // Not the statement's own, which its plan holds. One that is to be created is not there yet.
      Table current = hive.getTable(planned.getDbName(), planned.getTableName(), false);
      if (current == null) {
        return;
      }
      if (current.isPartitioned()) {
        endPartitions(current, plan);
      } else {
        current.getParameters().remove(StatsSetupConst.COLUMN_STATS_ACCURATE);
        hive.alterTable(current, false, leavingStatistics(), false);
      }
    } catch (HiveException | TException e) {
      throw new IOException(
          "all files of "
              + plan.description()
              + " are in place, but the metastore could not be told: "
              + e.getMessage()
              + " If it never can be, end the commit by: zerorename recover --without-metastore "
              + target.path(),
          e);
    }
  }

  private void endPartitions(Table table, CommitPlan plan) throws HiveException, TException {
    Set<String> names = new LinkedHashSet<>();
    Collection<Path> elsewhere = new LinkedHashSet<>();
    plan.changedDirectories()
        .forEach(
            directory ->
                nameOf(directory, table)
                    .ifPresentOrElse(names::add, () -> elsewhere.add(directory)));
    List<Partition> known = new ArrayList<>(hive.getPartitionsByNames(table, List.copyOf(names)));
    known.addAll(new PartitionLocations(hive, table).allAt(elsewhere));
    known.forEach(partition -> names.remove(partition.getName()));
    Optional<HiveException> refusal = addEach(names, table);
    for (Partition partition : known) {
      partition.getParameters().remove(StatsSetupConst.COLUMN_STATS_ACCURATE);
    }
    if (!known.isEmpty()) {
      hive.alterPartitions(table.getFullyQualifiedName(), known, leavingStatistics(), false);
    }
    if (refusal.isPresent()) {
      throw refusal.get();
    }
  }

  /**
   * Adds partitions one by one, so that one that the metastore refuses keeps no other from it.
   *
   * @return what it refuses; empty where all were added
   */
  private Optional<HiveException> addEach(Collection<String> names, Table table)
      throws HiveException, MetaException {
    List<String> refused = new ArrayList<>();
    HiveException first = null;
    for (String name : names) {
      try {
        hive.createPartition(table, new HashMap<>(Warehouse.makeSpecFromName(name)));
        told.add("Partition " + name + " was added to the metastore.");
      } catch (HiveException e) {
        if (e.getCause() instanceof AlreadyExistsException) {
          // Another process repairs it too.
          continue;
        }
        if (e.getCause() instanceof TTransportException) {
          // It gives no answer at all.
          throw e;
        }
        refused.add(name);
        first = first == null ? e : first;
      }
    }
    return refused.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new HiveException(
                "it refuses the partitions " + some(refused) + ": " + first.getMessage(), first));
  }

  /** A message stays readable, however many there are. */
  private static String some(List<String> names) {
    return names.size() <= NAMED
        ? names.toString()
        : names.subList(0, NAMED) + " and " + (names.size() - NAMED) + " more";
  }

  /** The partition that lies by default in a directory; empty where that is none of this table. */
  private static Optional<String> nameOf(Path directory, Table table) {
    if (!ObjectKeys.isAtOrBelow(directory, table.getPath())
        || !ObjectKeys.prefixOf(directory).startsWith(ObjectKeys.prefixOf(table.getPath()))) {
      return Optional.empty();
    }
    String below =
        ObjectKeys.prefixOf(directory).substring(ObjectKeys.prefixOf(table.getPath()).length());
    String name = below.isEmpty() ? below : below.substring(0, below.length() - 1);
    int levels = table.getPartitionKeys().size();
    String[] elements = name.split("/", -1);
    for (int i = 0; i < elements.length && i < levels; i++) {
      String column = StagedPartitions.prefixOf(table.getPartitionKeys().get(i).getName());
      // The metastore takes no empty value.
      if (!elements[i].startsWith(column) || elements[i].equals(column)) {
        return Optional.empty();
      }
    }
    return elements.length == levels ? Optional.of(name) : Optional.empty();
  }

  private static EnvironmentContext leavingStatistics() {
    EnvironmentContext context = new EnvironmentContext();
    context.putToProperties(StatsSetupConst.DO_NOT_UPDATE_STATS, StatsSetupConst.TRUE);
    return context;
  }
}
