package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Checks what others have written into a log before a recovery carries it out or undoes it: a job
 * can have made it, and it stays where jobs of this destination may write.
 */
final class RecoveryChecks {
  private final RecoveryEngine engine;

  RecoveryChecks(RecoveryEngine engine) {
    this.engine = requireNonNull(engine, "engine");
  }

  /**
   * Of a part of a plan.
   *
   * @throws MalformedManifestException where its job cannot have made it
   * @throws NotAllowedException where it is not to be carried out here
   */
  void check(PlanPart part) throws IOException {
    try {
      new PlanChecks(part.job()).check(part);
    } catch (IOException e) {
      throw new MalformedManifestException(e.getMessage(), e);
    }
    checkRoots(part.job());
    Optional<String> refusal = engine.refuses(part.job());
    if (refusal.isPresent()) {
      throw new NotAllowedException(refusal.get());
    }
  }

  /** Of a job that nothing more is done for than to decide against it. */
  void checkRoots(OutputJob job) throws IOException {
    for (Path root : job.roots()) {
      if (!engine.mayWrite(root)) {
        throw new NotAllowedException(
            "Its plan names " + root + ", where jobs of this destination may not write.");
      }
    }
  }
}
