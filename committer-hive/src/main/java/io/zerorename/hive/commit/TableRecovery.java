package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.hive.config.HiveWorkDirectory;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.metastore.PartitionLocations;
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
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.Warehouse;
import org.apache.hadoop.hive.metastore.api.AlreadyExistsException;
import org.apache.hadoop.hive.metastore.api.EnvironmentContext;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.api.hive_metastoreConstants;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resumes the commits that other processes have left at a table, or at a directory. What the
 * interrupted query would have reported to the metastore is reported here: partitions are added,
 * and statistics that are wrong now are no longer taken for right.
 */
public final class TableRecovery implements JobEngine {
  private static final Logger LOG = LoggerFactory.getLogger(TableRecovery.class);

  /** So many partitions are named in a message. */
  private static final int NAMED = 10;

  /** So many partitions are added by one request. */
  private static final int TOGETHER = 1_000;

  private final Hive hive;
  private final InsertTarget target;
  private final ObjectStores stores;
  private final HiveConf conf;
  private final WorkDirectory work;
  private final List<String> told = new ArrayList<>();

  /** Of the table's partitions, as they were when a commit was first checked. */
  private Optional<Set<Path>> locations = Optional.empty();

  public TableRecovery(Hive hive, InsertTarget target, ObjectStores stores, HiveConf conf)
      throws IOException {
    this.hive = requireNonNull(hive, "hive");
    this.target = requireNonNull(target, "target");
    this.stores = requireNonNull(stores, "stores");
    this.conf = requireNonNull(conf, "conf");
    this.work = WorkDirectory.of(HiveWorkDirectory.of(conf), conf);
  }

  /**
   * Resumes all that no process can be executing, and that is not left to an operator.
   *
   * @param log the directory of the log in which the target's commits are decided
   * @param reported which results to report
   * @return what to tell the user
   */
  public List<String> run(Path log, Predicate<Recovered> reported) throws IOException {
    String bucket = ObjectKeys.bucketOf(target.path());
    Recovery recovery =
        new Recovery(
            stores,
            new CommitLogs(stores, conf, Optional.of(work)).at(log),
            CommitSettings.from(conf, bucket),
            this);
    Duration grace = Duration.ofSeconds(CoreKeys.RECOVERY_PATIENCE.from(conf, bucket));
    for (Recovered result : recovery.run(grace)) {
      if (reported.test(result)) {
        told.add(result.message());
      }
    }
    return List.copyOf(told);
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
  public boolean hasMetastore() {
    return true;
  }

  @Override
  public Optional<JobDirectory> records(OutputJob job) throws IOException {
    return work.recordsOf(job);
  }

  @Override
  public boolean end(CommitPlan plan, Predicate<Path> replacedLater) throws IOException {
    if (SuccessMarker.isConcerned(plan)) {
      new SuccessMarker(stores).recovered(plan);
    }
    if (target.table().isEmpty()) {
      return true;
    }
    try {
      Table planned = target.table().get();
      // Not the statement's own, which its plan holds. One that is to be created is not there yet.
      Table current = hive.getTable(planned.getDbName(), planned.getTableName(), false);
      if (current == null) {
        return true;
      }
      if (current.isPartitioned()) {
        endPartitions(current, plan, replacedLater);
      } else if (!replacedLater.test(target.path())) {
        current.getParameters().remove(StatsSetupConst.COLUMN_STATS_ACCURATE);
        hive.alterTable(current, false, leavingStatistics(), false);
      }
      return true;
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

  private void endPartitions(Table table, CommitPlan plan, Predicate<Path> replacedLater)
      throws IOException, HiveException, TException {
    Set<String> names = new LinkedHashSet<>();
    Collection<Path> elsewhere = new LinkedHashSet<>();
    plan.changedDirectories().stream()
        .filter(directory -> !replacedLater.test(directory))
        .forEach(
            directory ->
                nameOf(directory, table)
                    .ifPresentOrElse(names::add, () -> elsewhere.add(directory)));
    List<Partition> known = new ArrayList<>(hive.getPartitionsByNames(table, List.copyOf(names)));
    known.addAll(new PartitionLocations(hive, table).allAt(elsewhere));
    known.forEach(partition -> names.remove(partition.getName()));
    Optional<HiveException> refusal = add(List.copyOf(names), table);
    for (Partition partition : known) {
      partition.getParameters().remove(StatsSetupConst.COLUMN_STATS_ACCURATE);
      partition.getParameters().remove(hive_metastoreConstants.DDL_TIME);
    }
    if (!known.isEmpty()) {
      // Hive's own method asks the thread's session, and this one has none.
      hive.getMSC()
          .alter_partitions(
              table.getDbName(),
              table.getTableName(),
              known.stream().map(Partition::getTPartition).toList(),
              leavingStatistics(),
              null,
              -1);
    }
    if (refusal.isPresent()) {
      throw refusal.get();
    }
  }

  /**
   * Adds partitions, many at once; where the metastore refuses, one by one, so that one of them
   * keeps no other from it.
   *
   * @return what it refuses; empty where all were added
   */
  private Optional<HiveException> add(List<String> names, Table table)
      throws HiveException, TException {
    Optional<HiveException> refusal = Optional.empty();
    List<String> added = new ArrayList<>();
    for (int from = 0; from < names.size(); from += TOGETHER) {
      List<String> some = names.subList(from, Math.min(names.size(), from + TOGETHER));
      if (isAddedTogether(some, table)) {
        added.addAll(some);
      } else {
        Optional<HiveException> ofThese = addEach(some, table, added);
        refusal = refusal.isPresent() ? refusal : ofThese;
      }
    }
    if (added.size() > NAMED) {
      told.add("Partitions " + some(added) + " were added to the metastore.");
    } else {
      added.forEach(name -> told.add("Partition " + name + " was added to the metastore."));
    }
    return refusal;
  }

  private boolean isAddedTogether(List<String> names, Table table)
      throws HiveException, TException {
    List<org.apache.hadoop.hive.metastore.api.Partition> partitions = new ArrayList<>();
    for (String name : names) {
      partitions.add(
          new Partition(
                  table,
                  new HashMap<>(Warehouse.makeSpecFromName(name)),
                  new Path(table.getDataLocation(), name))
              .getTPartition());
    }
    try {
      hive.getMSC().add_partitions(partitions, true, false);
      return true;
    } catch (TTransportException e) {
      throw e;
    } catch (TException e) {
      LOG.info("The metastore refuses some of {} partitions of {}", names.size(), table, e);
      return false;
    }
  }

  private Optional<HiveException> addEach(
      Collection<String> names, Table table, Collection<String> added)
      throws HiveException, MetaException {
    List<String> refused = new ArrayList<>();
    HiveException first = null;
    for (String name : names) {
      try {
        hive.createPartition(table, new HashMap<>(Warehouse.makeSpecFromName(name)));
        added.add(name);
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
