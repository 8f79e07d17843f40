package io.zerorename.core.document;

import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What a task attempt hands to job commit. In Hive, where each data file has a manifest of its own
 * so that Hive's renames and de-duplication move manifests instead of data, it holds one file.
 *
 * @param uploads that wait to be completed
 * @param inlined small files that wait to be written
 */
public record TaskManifest(
    String jobId, String taskAttemptId, List<PendingUpload> uploads, List<InlineFile> inlined) {
  public TaskManifest {
    uploads = List.copyOf(uploads);
    inlined = List.copyOf(inlined);
  }

  public static TaskManifest of(
      String jobId, String taskAttemptId, Collection<? extends OutputFile> files) {
    List<PendingUpload> uploads = new ArrayList<>();
    List<InlineFile> inlined = new ArrayList<>();
    for (OutputFile file : files) {
      if (file instanceof PendingUpload upload) {
        uploads.add(upload);
      } else if (file instanceof InlineFile small) {
        inlined.add(small);
      }
    }
    return new TaskManifest(jobId, taskAttemptId, uploads, inlined);
  }

  public List<OutputFile> files() {
    List<OutputFile> files = new ArrayList<>(uploads);
    files.addAll(inlined);
    return files;
  }
}
