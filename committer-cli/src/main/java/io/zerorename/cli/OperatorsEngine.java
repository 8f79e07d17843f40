package io.zerorename.cli;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.magic.job.SuccessMarker;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Completes commits without their engine.
 *
 * @param allowed the directories below which it may write
 * @param metastore whether Hive's commits stay open until Hive has updated the metastore
 * @param progress shows how many files of a commit are visible by now
 */
record OperatorsEngine(
    ObjectStores stores,
    Configuration conf,
    Set<Path> allowed,
    boolean metastore,
    CommitProgress progress)
    implements JobEngine {
  /** The attribute of Hive's plans. */
  private static final String TABLE = "hive.table";

  /** What may remain to be done for a commit of which no more is known. */
  static final String IN_A_CATALOG =
      "If a catalog has it as a table with partitions, run MSCK REPAIR TABLE, which registers new"
          + " ones.";

  @Override
  public boolean mayWrite(Path root) {
    return allowed.stream().anyMatch(path -> ObjectKeys.isAtOrBelow(root, path));
  }

  @Override
  public boolean hasMetastore() {
    return !metastore;
  }

  /**
   * The plan says where they are, and any user who may write to the bucket can have written the
   * plan: so it must be a directory to which no other user can write, on a file system that says
   * the truth about that.
   */
  @Override
  public Optional<JobDirectory> records(OutputJob job) throws IOException {
    Optional<Path> root =
        job.records().map(Path::getParent).filter(jobs -> !jobs.isRoot()).map(Path::getParent);
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    if (root.isEmpty()
        || !root.get().getName().equals("zerorename-" + user)
        || !isOnTheCluster(root.get())) {
      return Optional.empty();
    }
    WorkDirectory work = WorkDirectory.of(root.get(), conf);
    return work.exists() ? work.recordsOf(job) : Optional.empty();
  }

  /** Of the operator's own settings, and not one that a plan brings. */
  private boolean isOnTheCluster(Path root) throws IOException {
    URI cluster =
        CoreKeys.WORK_DIR
            .find(conf)
            .map(directory -> new Path(directory).toUri())
            .filter(directory -> directory.getScheme() != null)
            .orElseGet(() -> FileSystem.getDefaultUri(conf));
    return Objects.equals(root.toUri().getScheme(), cluster.getScheme())
        && Objects.equals(root.toUri().getAuthority(), cluster.getAuthority())
        && !S3AFileSystems.holds(root, conf);
  }

  @Override
  public boolean end(CommitPlan plan, Predicate<Path> replacedLater) throws IOException {
    if (!SuccessMarker.mayExistFor(plan.job())) {
      return !metastore || tableOf(plan.job()).isEmpty();
    }
    // If a later job has replaced the directory, its _SUCCESS is that job's.
    if (!replacedLater.test(plan.job().destination())) {
      new SuccessMarker(stores).recovered(plan);
    }
    return true;
  }

  /** What remains to be done for a commit that has ended. */
  static Optional<String> adviceAfter(OutputJob job) {
    Optional<String> table = tableOf(job);
    if (table.isPresent()) {
      return table.map(
          name ->
              ("Hive's metastore does not have its partitions and statistics: run MSCK REPAIR TABLE"
                      + " %s; ANALYZE TABLE %<s COMPUTE STATISTICS;")
                  .formatted(name));
    }
    return SuccessMarker.mayExistFor(job) ? Optional.of(IN_A_CATALOG) : Optional.empty();
  }

  /** The table of a commit of Hive. */
  private static Optional<String> tableOf(OutputJob job) {
    return Optional.ofNullable(job.attributes().get(TABLE));
  }
}
