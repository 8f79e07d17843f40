package io.zerorename.cli;

import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.RecoveryEngine;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.magic.job.SuccessMarker;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/**
 * Ends a commit as far as that can be done without its engine.
 *
 * @param records what jobs have noted on the cluster file system
 * @param allowed the directories below which it may write
 * @param metastore whether commits that Hive's metastore must hear of are left to Hive
 */
record OperatorsEngine(
    ObjectStores stores, ClusterRecords records, Set<Path> allowed, boolean metastore)
    implements RecoveryEngine {
  /** The attribute of Hive's plans. */
  private static final String TABLE = "hive.table";

  @Override
  public boolean mayWrite(Path root) {
    return allowed.stream().anyMatch(path -> ObjectKeys.isAtOrBelow(root, path));
  }

  @Override
  public Optional<JobDirectory> records(OutputJob job) throws IOException {
    return records.of(job);
  }

  @Override
  public void end(CommitPlan plan) throws IOException {
    if (SuccessMarker.isConcerned(plan)) {
      new SuccessMarker(stores).recovered(plan);
    } else if (metastore && tableOf(plan).isPresent()) {
      throw new IOException(
          "all of its "
              + plan.fileCount()
              + " files are in place; the next INSERT into "
              + tableOf(plan).get()
              + " tells the metastore of partitions and statistics and ends it. Add"
              + " --without-metastore to end it now.");
    }
  }

  /** The table of a commit of Hive's. */
  static Optional<String> tableOf(CommitPlan plan) {
    return Optional.ofNullable(plan.job().attributes().get(TABLE));
  }
}
