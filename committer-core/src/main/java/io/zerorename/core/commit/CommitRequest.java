package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * What a job wants to commit.
 *
 * @param jobId unique to one execution of the job
 * @param description the job in a person's words, for messages, such as {@code INSERT into db.t}
 * @param manifests what the chosen task attempts have written
 * @param roots the directories below which every file must lie
 * @param overwrite which old files are replaced
 * @param refuseExisting whether an object that is already at the place of a new file fails the
 *     commit before its decision. Completing an upload would silently replace it. For names that
 *     are not unique; one listing of each root.
 */
public record CommitRequest(
    String jobId,
    String description,
    ManifestSource manifests,
    List<Path> roots,
    Overwrite overwrite,
    boolean refuseExisting) {
  public CommitRequest {
    requireNonNull(jobId, "jobId");
    requireNonNull(description, "description");
    requireNonNull(manifests, "manifests");
    requireNonNull(overwrite, "overwrite");
    roots = List.copyOf(roots);
  }

  /** A request of a job whose file names are unique. */
  public CommitRequest(
      String jobId,
      String description,
      ManifestSource manifests,
      List<Path> roots,
      Overwrite overwrite) {
    this(jobId, description, manifests, roots, overwrite, false);
  }
}
