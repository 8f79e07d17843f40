package io.zerorename.core.upload;

import io.zerorename.core.store.UploadedPart;
import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * A multipart upload whose parts are all acknowledged and which only waits for its completion.
 *
 * @param uploadId the store's name for the upload
 * @param parts in ascending order of part number, at least one
 */
public record PendingUpload(
    Path destination,
    String uploadId,
    List<UploadedPart> parts,
    String jobId,
    String taskAttemptId,
    String identity)
    implements OutputFile {

  public PendingUpload {
    parts = List.copyOf(parts);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("upload to " + destination + " has no part");
    }
    for (int i = 1; i < parts.size(); i++) {
      if (parts.get(i).number() <= parts.get(i - 1).number()) {
        throw new IllegalArgumentException("parts of " + destination + " are not in order");
      }
    }
  }

  @Override
  public long length() {
    // Not a stream: most uploads have one part, and a plan has many uploads.
    long length = 0;
    for (UploadedPart part : parts) {
      length += part.size();
    }
    return length;
  }
}
