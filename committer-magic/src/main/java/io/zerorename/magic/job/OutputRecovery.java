package io.zerorename.magic.job;

import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resumes commits to a job's destination that earlier jobs have not completed. It runs after the
 * job itself has ended.
 *
 * @param description the job in a person's words
 * @param roots where commits may have files that it resumes: where the job itself may
 * @param marked whether the job itself has left a {@code _SUCCESS}, which stays
 */
public record OutputRecovery(
    String description,
    Path destination,
    List<Path> roots,
    Configuration conf,
    ObjectStores stores,
    boolean marked)
    implements JobEngine {
  private static final Logger LOG = LoggerFactory.getLogger(OutputRecovery.class);

  /** Resumes commits that are older than the grace period, and logs the results. */
  public void run(CommitLog log) {
    try {
      int patience = CoreKeys.RECOVERY_PATIENCE.from(conf, ObjectKeys.bucketOf(destination));
      recovery(log).run(Duration.ofSeconds(patience)).forEach(this::report);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-6116: Earlier commits to {} were interrupted and cannot be completed now; a later job"
              + " tries again",
          destination,
          e);
    }
  }

  /**
   * The same for all of them, before a statement that must meet no open commit.
   *
   * @return the numbers of those that are not executed, so that files may appear yet
   */
  public List<Long> runAll(CommitLog log) throws IOException {
    List<Recovered> results = recovery(log).run(Duration.ZERO);
    results.forEach(this::report);
    return results.stream().filter(it -> !it.isExecuted()).map(Recovered::number).toList();
  }

  private Recovery recovery(CommitLog log) {
    return new Recovery(
        stores, log, CommitSettings.from(conf, ObjectKeys.bucketOf(destination)), this);
  }

  private void report(Recovered result) {
    if (result instanceof Recovered.UnderWay) {
      LOG.info("{} found another commit: {}", description, result.message());
    } else {
      LOG.warn("ZR-6117: {} found an earlier commit: {}", description, result.message());
    }
  }

  @Override
  public boolean mayWrite(Path root) {
    return roots.stream().anyMatch(it -> ObjectKeys.isAtOrBelow(root, it));
  }

  @Override
  public boolean afterFiles(OpenCommit commit) throws IOException {
    if (!SuccessMarker.mayExistFor(commit.plan().job())) {
      // Only Hive can register the partitions of its statements.
      return false;
    }
    // So does that of a later job that replaces all.
    if (!marked && !commit.replacedLater().test(destination)) {
      new SuccessMarker(stores).recovered(commit);
    }
    return true;
  }
}
