package io.zerorename.cli;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.magic.job.SuccessMarker;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/**
 * Completes commits without their engine.
 *
 * @param allowed the directories below which it may write
 * @param metastore whether Hive's commits stay open until Hive has updated the metastore
 * @param progress shows how many files of a commit are visible by now
 */
record OperatorsEngine(
    ObjectStores stores, Set<Path> allowed, boolean metastore, CommitProgress progress)
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

  @Override
  public boolean afterFiles(OpenCommit commit) throws IOException {
    OutputJob job = commit.plan().job();
    if (!SuccessMarker.mayExistFor(job)) {
      return !metastore || tableOf(job).isEmpty();
    }
    // If a later job has replaced the directory, its _SUCCESS is that job's.
    if (!commit.replacedLater().test(job.destination())) {
      new SuccessMarker(stores).recovered(commit);
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
