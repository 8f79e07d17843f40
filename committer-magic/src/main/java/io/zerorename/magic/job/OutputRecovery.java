package io.zerorename.magic.job;

import io.zerorename.core.commit.CommitPlan;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.OutputJob;
import io.zerorename.core.commit.RecoveryEngine;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Ends commits that earlier jobs have left open at a job's destination. */
record OutputRecovery(JobOutput output, Configuration conf, ObjectStores stores)
    implements RecoveryEngine {
  @Override
  public boolean mayWrite(Path root) {
    return root.equals(output.destination());
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
