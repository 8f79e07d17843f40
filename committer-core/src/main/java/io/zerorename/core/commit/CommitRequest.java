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
 * @param isSole whether no other process commits the same job. Several do where an application
 *     master is started again, or where two sinks of a DAG have one directory
 * @param hasMetastore whether the engine registers partitions in the metastore behind the commit
 * @param seen by an overwrite when it began
 */
public record CommitRequest(
    OutputJob job,
    ManifestSource manifests,
    Overwrite overwrite,
    Optional<Instant> begun,
    InvocationRaisingIOE withoutFiles,
    InvocationRaisingIOE beforeDecision,
    boolean isSole,
    boolean hasMetastore,
    SeenLog seen) {
  /** Of a sole committer, with nothing to run before the decision. */
  public CommitRequest(
      OutputJob job, ManifestSource manifests, Overwrite overwrite, Optional<Instant> begun) {
    this(job, manifests, overwrite, begun, () -> {}, () -> {}, true, false, SeenLog.ALL);
  }

  /** The same of a job whose engine registers partitions in the metastore behind the commit. */
  public static CommitRequest ofTable(
      OutputJob job,
      ManifestSource manifests,
      Overwrite overwrite,
      Optional<Instant> begun,
      InvocationRaisingIOE withoutFiles,
      InvocationRaisingIOE beforeDecision) {
    return new CommitRequest(
        job, manifests, overwrite, begun, withoutFiles, beforeDecision, true, true, SeenLog.ALL);
  }

  /** The same of a job that other processes may commit as well. */
  public static CommitRequest ofSeveral(
      OutputJob job,
      ManifestSource manifests,
      Overwrite overwrite,
      Optional<Instant> begun,
      InvocationRaisingIOE withoutFiles) {
    return new CommitRequest(
        job, manifests, overwrite, begun, withoutFiles, () -> {}, false, false, SeenLog.ALL);
  }

  /** The same of an overwrite that had seen this when it began. */
  public CommitRequest since(SeenLog its) {
    return new CommitRequest(
        job, manifests, overwrite, begun, withoutFiles, beforeDecision, isSole, hasMetastore, its);
  }
}
