package io.zerorename.testing;

import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.SeenLog;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.OutputJob;
import java.time.Instant;
import java.util.Optional;

/** What tests want to commit. */
public final class Requests {
  private Requests() {}

  /** Of a sole committer, with nothing to run before the decision. */
  public static CommitRequest of(
      OutputJob job, ManifestSource manifests, Overwrite overwrite, Optional<Instant> begun) {
    return new CommitRequest(
        job,
        manifests,
        overwrite,
        begun,
        () -> {},
        () -> {},
        CommitRequest.Committer.SOLE,
        SeenLog.ALL);
  }
}
