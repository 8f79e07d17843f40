package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.Failures;
import java.time.Instant;
import java.util.Optional;

/**
 * What a job wants to commit.
 *
 * @param manifests what the chosen task attempts have written
 * @param overwrite which old files are replaced
 * @param begun when the job began, where that is known
 * @param prefetch what is read of the log and of the old files before the commit
 * @param beforeDecision run right before it; fails where the job must not be committed any more
 */
public record CommitRequest(
    OutputJob job,
    ManifestSource manifests,
    Overwrite overwrite,
    Optional<Instant> begun,
    ListingPrefetch prefetch,
    Failures.Step beforeDecision) {
  public CommitRequest {
    requireNonNull(job, "job");
    requireNonNull(manifests, "manifests");
    requireNonNull(overwrite, "overwrite");
    requireNonNull(begun, "begun");
    requireNonNull(prefetch, "prefetch");
    requireNonNull(beforeDecision, "beforeDecision");
  }

  /** A request without a prefetch, and with nothing to run before the decision. */
  public CommitRequest(
      OutputJob job, ManifestSource manifests, Overwrite overwrite, Optional<Instant> begun) {
    this(job, manifests, overwrite, begun, ListingPrefetch.none(), () -> {});
  }
}
