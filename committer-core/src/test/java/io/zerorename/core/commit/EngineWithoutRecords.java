package io.zerorename.core.commit;

import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;

/** An engine that has nothing to do itself, and cannot reach the records of any job. */
public record EngineWithoutRecords(Allowed allowed) implements JobEngine {
  /** Where jobs of the destination may write. */
  @FunctionalInterface
  public interface Allowed {
    boolean mayWrite(Path root) throws IOException;
  }

  @Override
  public boolean mayWrite(Path root) throws IOException {
    return allowed.mayWrite(root);
  }

  @Override
  public Optional<JobDirectory> records(OutputJob output) {
    return Optional.empty();
  }

  @Override
  public boolean end(CommitPlan plan, Predicate<Path> replacedLater) {
    return true;
  }
}
