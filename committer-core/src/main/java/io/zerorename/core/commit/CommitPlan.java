package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.upload.PendingUpload;
import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * Everything that a job commit will do. Once it is decided it is carried out as it stands, by
 * whichever process.
 *
 * @param uploads to be completed, no two of them to one key
 * @param replaced to be deleted after every upload is complete
 * @param markers directories that need a marker object, because no object would be left in them
 */
public record CommitPlan(
    OutputJob job, List<PendingUpload> uploads, List<OldObject> replaced, List<Path> markers) {
  public CommitPlan {
    requireNonNull(job, "job");
    uploads = List.copyOf(uploads);
    replaced = List.copyOf(replaced);
    markers = List.copyOf(markers);
  }

  /** The job in a person's words. */
  public String description() {
    return job.description();
  }

  /** Bytes in the files that will be visible. */
  public long bytes() {
    return uploads.stream().mapToLong(PendingUpload::length).sum();
  }
}
