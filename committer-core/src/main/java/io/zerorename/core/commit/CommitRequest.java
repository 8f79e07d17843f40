package io.zerorename.core.commit;

import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.OutputJob;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * What a job wants to commit.
 *
 * @param manifests what the chosen task attempts have written
 * @param overwrite which old files are replaced
 * @param begun when the job began, where that is known
 * @param withoutFiles run if the manifests name no file; fails where there must be some
 * @param beforeDecision run right before it; fails where the job must not be committed any more
 * @param committer how the engine commits it
 * @param seen by an overwrite when it began
 */
public record CommitRequest(
    OutputJob job,
    ManifestSource manifests,
    Overwrite overwrite,
    Optional<Instant> begun,
    InvocationRaisingIOE withoutFiles,
    InvocationRaisingIOE beforeDecision,
    Committer committer,
    SeenLog seen) {
  /** Who commits a job, and what the engine does behind that. */
  public enum Committer {
    /** One process. */
    SOLE,
    /** One process, which registers partitions in the metastore behind the commit. */
    WITH_METASTORE,
    /**
     * Perhaps others, too: an application master is started again, or two sinks of a DAG have one
     * directory.
     */
    ONE_OF_SEVERAL
  }
}
