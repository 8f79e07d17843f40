package io.zerorename.magic.job;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resumes commits to a job's destination that earlier jobs have not completed. It runs after the
 * job itself has ended.
 */
record OutputRecovery(JobOutput output, ObjectStores stores) implements JobEngine {
  private static final Logger LOG = LoggerFactory.getLogger(OutputRecovery.class);

  /** Resumes commits that no process can be executing, and logs the results. */
  void run() {
    try {
      CommitLog log = output.requireLog(output.records(stores), stores);
      Duration gracePeriod = Duration.ofSeconds(output.get(CoreKeys.RECOVERY_PATIENCE));
      new Recovery(stores, log, output.commitSettings(), this)
          .run(gracePeriod)
          .forEach(this::report);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Earlier commits to {} were interrupted and cannot be completed now; a later job tries"
              + " again",
          output.destination(),
          e);
    }
  }

  private void report(Recovered result) {
    if (result instanceof Recovered.UnderWay) {
      LOG.info("{} found another commit: {}", output.description(), result.message());
    } else {
      LOG.warn("{} found an earlier commit: {}", output.description(), result.message());
    }
  }

  @Override
  public boolean mayWrite(Path root) {
    return ObjectKeys.isAtOrBelow(root, output.destination());
  }

  @Override
  public Optional<JobDirectory> records(OutputJob job) throws IOException {
    if (output.recordsOnS3()) {
      return Optional.of(
          new JobDirectory(
              stores,
              new Path(WorkDirectory.undated(output.workDir()), job.id()),
              output.destination()));
    }
    return WorkDirectory.of(output.workDir(), output.conf()).recordsOf(job);
  }

  @Override
  public boolean end(CommitPlan plan, Predicate<Path> replacedLater) throws IOException {
    if (!SuccessMarker.isConcerned(plan)) {
      // Only Hive can register the partitions of its statements.
      return false;
    }
    // The _SUCCESS of a later job stays: of the one that has just ended, or of one that replaces
    // all.
    if (!SuccessMarker.isWanted(output.conf()) && !replacedLater.test(output.destination())) {
      new SuccessMarker(stores).recovered(plan);
    }
    return true;
  }
}
