package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.upload.PendingUpload;
import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * Everything that a job commit will do. Once it is decided it is carried out as it stands, by
 * whichever process.
 *
 * @param description the job in a person's words, for messages
 * @param uploads to be completed, no two of them to one key
 * @param replaced to be deleted after every upload is complete
 * @param markers directories that need a marker object, because no object would be left in them
 */
public record CommitPlan(
    String jobId,
    String description,
    List<PendingUpload> uploads,
    List<OldObject> replaced,
    List<Path> markers) {
  public CommitPlan {
    requireNonNull(jobId, "jobId");
    requireNonNull(description, "description");
    uploads = List.copyOf(uploads);
    replaced = List.copyOf(replaced);
    markers = List.copyOf(markers);
  }
}
