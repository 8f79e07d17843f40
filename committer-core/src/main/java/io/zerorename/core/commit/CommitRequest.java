package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.OutputJob;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/**
 * What a job wants to commit.
 *
 * @param manifests what the chosen task attempts have written
 * @param overwrite which old files are replaced
 * @param begun when the job began, where that is known. Uploads of a job that took long, or of one
 *     of which it is not known, are looked at before the decision, because a lifecycle rule of the
 *     bucket may have removed some.
 * @param mayBeDecided whether an earlier attempt of the job may have come to its decision. It is
 *     looked for first then, by one request.
 * @param before run before old files are listed
 */
public record CommitRequest(
    OutputJob job,
    ManifestSource manifests,
    Overwrite overwrite,
    Optional<Instant> begun,
    boolean mayBeDecided,
    Preparation before) {
  /**
   * What has to be done before the plan is made. An overwrite must not take for old files what
   * another commit, which is still open, has made visible in part: see {@link Recovery#clear}.
   */
  @FunctionalInterface
  public interface Preparation {
    /**
     * @param replaced the directories whose old files will be listed
     * @throws IOException where the job must not be committed
     */
    void run(Set<Path> replaced) throws IOException;

    /**
     * A listing of old files that was begun before the commit, after a look that has shown that
     * {@link #run} has nothing to do. Where it does not serve, {@link #run} is called.
     *
     * @throws IOException where the job must not be committed
     */
    default ListingAhead ahead() throws IOException {
      return ListingAhead.none();
    }
  }

  public CommitRequest {
    requireNonNull(job, "job");
    requireNonNull(manifests, "manifests");
    requireNonNull(overwrite, "overwrite");
    requireNonNull(begun, "begun");
    requireNonNull(before, "before");
  }

  /** A request that nothing has to be done for. */
  public CommitRequest(
      OutputJob job,
      ManifestSource manifests,
      Overwrite overwrite,
      Optional<Instant> begun,
      boolean mayBeDecided) {
    this(job, manifests, overwrite, begun, mayBeDecided, replaced -> {});
  }
}
