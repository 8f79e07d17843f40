package io.zerorename.core.manifest;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.upload.PendingUpload;
import java.util.List;

/**
 * The pending uploads that a task attempt hands to job commit. In Hive, where each data file has a
 * manifest of its own so that Hive's renames and de-duplication move manifests instead of data, it
 * holds one upload.
 */
public record TaskManifest(String jobId, String taskAttemptId, List<PendingUpload> uploads) {
  public TaskManifest {
    requireNonNull(jobId, "jobId");
    requireNonNull(taskAttemptId, "taskAttemptId");
    uploads = List.copyOf(uploads);
  }
}
