package io.zerorename.cli;

import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.magic.job.SuccessMarker;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Completes commits without their engine.
 *
 * @param records of jobs on the cluster file system
 * @param allowed the directories below which it may write
 * @param metastore whether Hive's commits stay open until Hive has updated the metastore
 */
record OperatorsEngine(
    ObjectStores stores, ClusterRecords records, Set<Path> allowed, boolean metastore)
    implements JobEngine {
  /** The attribute of Hive's plans. */
  private static final String TABLE = "hive.table";

  @Override
  public boolean mayWrite(Path root) {
    return allowed.stream().anyMatch(path -> ObjectKeys.isAtOrBelow(root, path));
  }

  @Override
  public boolean hasMetastore() {
    return !metastore;
  }

  @Override
  public Optional<JobDirectory> records(OutputJob job) throws IOException {
    return records.of(job);
  }

  @Override
  public boolean end(CommitPlan plan, Predicate<Path> replacedLater) throws IOException {
    if (!SuccessMarker.mayExistFor(plan)) {
      return !metastore || tableOf(plan).isEmpty();
    }
    // If a later job has replaced the directory, its _SUCCESS is that job's.
    if (!replacedLater.test(plan.job().destination())) {
      new SuccessMarker(stores).recovered(plan);
    }
    return true;
  }

  /**
   * Whether a commit that is not Hive's may have written to partitions, of which a catalog does not
   * know: also where its plan cannot be read now.
   */
  static boolean mayLackPartitions(CommitPlan plan) {
    if (!SuccessMarker.mayExistFor(plan)) {
      return false;
    }
    try {
      RemoteIterator<PendingUpload> files = plan.uploads();
      return files.hasNext() && isInPartition(files.next().destination(), plan);
    } catch (IOException e) {
      // The commit is complete: advice too much is better than a failure, or none.
      return true;
    }
  }

  /** A file beside the destination is in a partition with a location of its own. */
  private static boolean isInPartition(Path file, CommitPlan plan) {
    Path destination = plan.job().destination();
    return !ObjectKeys.isAtOrBelow(file, destination)
        || ObjectKeys.of(file)
            .substring(ObjectKeys.prefixOf(destination).length())
            .matches("[^/]+=.*/.*");
  }

  /** The table of a commit of Hive. */
  static Optional<String> tableOf(CommitPlan plan) {
    return Optional.ofNullable(plan.job().attributes().get(TABLE));
  }
}
