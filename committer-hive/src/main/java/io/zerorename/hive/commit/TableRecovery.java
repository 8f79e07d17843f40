package io.zerorename.hive.commit;

import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.metastore.PartitionLocations;
import io.zerorename.hive.metastore.RecoveredPartitions;
import io.zerorename.hive.metastore.StoredStatistics;
import io.zerorename.magic.job.SuccessMarker;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.thrift.TException;

/**
 * Resumes the commits that other processes have left at a table, or at a directory. What the
 * interrupted query would have reported to the metastore is reported here: partitions are added,
 * and statistics that are wrong now are no longer taken for right.
 */
public final class TableRecovery implements JobEngine {
  private final Hive hive;
  private final InsertTarget target;
  private final ObjectStores stores;
  private final HiveConf conf;
  private final Set<String> messages = new LinkedHashSet<>();

  /** Of the table's partitions, as they were when a commit was first checked. */
  private Optional<Set<Path>> locations = Optional.empty();

  public TableRecovery(Hive hive, InsertTarget target, ObjectStores stores, HiveConf conf) {
    this.hive = hive;
    this.target = target;
    this.stores = stores;
    this.conf = conf;
  }

  /**
   * Resumes all that are not left to an operator.
   *
   * @param log the directory of the log in which the target's commits are decided
   * @param age of the youngest to resume
   * @param reported which results to report
   * @return messages for the user
   */
  public List<String> run(Path log, Duration age, Predicate<Recovered> reported)
      throws IOException {
    Recovery recovery =
        new Recovery(
            stores,
            new CommitLog(stores, log),
            CommitSettings.from(conf, ObjectKeys.bucketOf(target.path())),
            this);
    for (Recovered result : recovery.run(age)) {
      if (reported.test(result)) {
        messages.add(result.message());
      }
    }
    return List.copyOf(messages);
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
          "ZR-5222: Cannot ask the metastore whether a partition of %s is at %s"
              .formatted(target.name(), root),
          e);
    }
  }

  /** Files of a table that was dropped must not appear in one that has taken its place. */
  @Override
  public Optional<String> refuses(OutputJob job) {
    return target
        .conflictingTable(job.attributes())
        .map(
            table ->
                ("ZR-5227: The commit belongs to table %s%s. If %s was dropped, end the commit"
                        + " by: zerorename recover --give-up --without-metastore --job %s %s")
                    .formatted(table, whyNotHere(table), table, job.id(), target.path()));
  }

  private String whyNotHere(String table) {
    return target.kind() == InsertTarget.Kind.DIRECTORY
        ? (", but this recovery was started for the directory %s and may not touch it. Run any"
                + " INSERT into %s to complete it")
            .formatted(target.path(), table)
        : (", but at %s there is %s now, which was created at another time, so that the files of"
                + " the commit must not appear there")
            .formatted(target.path(), target.name());
  }

  @Override
  public boolean hasMetastore() {
    return true;
  }

  @Override
  public boolean afterFiles(OpenCommit commit) throws IOException {
    CommitPlan plan = commit.plan();
    if (SuccessMarker.mayExistFor(plan.job())) {
      new SuccessMarker(stores).recovered(commit);
    }
    if (target.conflictingTable(plan.job().attributes()).isPresent()) {
      // It was given up. The table's own statements register its partitions, unless it is gone.
      return target.kind() != InsertTarget.Kind.DIRECTORY;
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
      if (current.isPartitioned()
          && InsertTarget.hasTakenThePlace(current, plan.job().attributes())) {
        messages.add(
            ("ZR-5242: all files of %s are in place. Its table was dropped and %s is at its place"
                    + " now, which knows the partitions that it was given since: MSCK REPAIR TABLE"
                    + " %s adds the others")
                .formatted(plan.job().description(), target.name(), target.name()));
      } else if (current.isPartitioned()) {
        register(current, plan, commit.replacedLater(), false);
      } else if (!commit.replacedLater().test(target.path())) {
        current.getParameters().remove(StatsSetupConst.COLUMN_STATS_ACCURATE);
        hive.alterTable(current, false, StoredStatistics.asGiven(), false);
      }
      return true;
    } catch (HiveException | TException e) {
      throw refused(plan, e);
    }
  }

  private IOException refused(CommitPlan plan, Exception e) {
    return new IOException(
        ("ZR-5223: the metastore could not be updated for %s, whose files were put in place"
                + " before: %s If it never can be, end the commit by: zerorename recover"
                + " --without-metastore %s")
            .formatted(plan.job().description(), e.getMessage(), target.path()),
        e);
  }

  /**
   * Adds partitions of a commit that has ended, where the metastore does not know them: somebody
   * may have ended it without. Statistics are not touched. One request where it knows all.
   *
   * @return messages for the user, those of an earlier recovery included
   */
  List<String> addPartitions(Table table, CommitPlan plan, Predicate<Path> replacedLater)
      throws IOException {
    if (table.isPartitioned()) {
      try {
        register(table, plan, replacedLater, true);
      } catch (HiveException | TException e) {
        throw refused(plan, e);
      }
    }
    return List.copyOf(messages);
  }

  private void register(
      Table table, CommitPlan plan, Predicate<Path> replacedLater, boolean counted)
      throws IOException, HiveException, TException {
    RecoveredPartitions partitions = new RecoveredPartitions(hive, table);
    List<Path> directories =
        plan.changedDirectories().stream().filter(it -> !replacedLater.test(it)).toList();
    try {
      partitions.register(directories, counted);
    } finally {
      messages.addAll(partitions.messages());
    }
  }
}
