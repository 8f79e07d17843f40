package io.zerorename.magic.job;

import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.Recovered;
import io.zerorename.core.commit.Recovery;
import io.zerorename.core.commit.RecoveryEngine;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends commits that earlier jobs have left open at a job's destination. */
record OutputRecovery(JobOutput output, Configuration conf, ObjectStores stores)
    implements RecoveryEngine {
  private static final Logger LOG = LoggerFactory.getLogger(OutputRecovery.class);

  /** What can be ended at once. */
  void run(Path log) throws IOException {
    for (Recovery recovery : recoveries(log)) {
      recovery.run(patience()).forEach(this::tell);
    }
  }

  /**
   * What is open in directories whose files are to be replaced.
   *
   * @throws IOException where that is not possible now
   */
  void clear(Path log, Set<Path> replaced) throws IOException {
    for (Recovery recovery : recoveries(log)) {
      recovery.clear(patience(), Set.of(output.jobId()), replaced).forEach(this::tell);
    }
  }

  private List<Recovery> recoveries(Path log) throws IOException {
    return output.logs(stores, conf).all(output.destination(), log).stream()
        .map(it -> new Recovery(stores, it, CommitSettings.from(conf, output.bucket()), this))
        .toList();
  }

  private Duration patience() {
    return Duration.ofSeconds(CoreKeys.RECOVERY_PATIENCE.from(conf, output.bucket()));
  }

  private void tell(Recovered result) {
    LOG.warn("{} found an earlier commit: {}", output.description(), result.message());
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
    return WorkDirectory.of(output.workDir(), conf).recordsOf(job);
  }

  @Override
  public void end(CommitPlan plan) throws IOException {
    new SuccessMarker(stores).recovered(plan);
  }
}
