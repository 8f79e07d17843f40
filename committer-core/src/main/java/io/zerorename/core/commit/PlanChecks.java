package io.zerorename.core.commit;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanChunk;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Checks that a plan, and what it was made from, is one that its job can have made. A user who may
 * write to the committer's records must not gain by them what the job's user may do.
 */
public record PlanChecks(OutputJob job) {
  public void check(CommitPlan plan) throws IOException {
    RemoteIterators.foreach(plan.chunks(), this::check);
  }

  private void check(PlanChunk chunk) throws MalformedDocumentException {
    for (PendingUpload upload : chunk.uploads()) {
      check(upload);
    }
    for (OldObject object : chunk.replaced()) {
      if (!isBelowRoot(object.bucket(), object.key())) {
        throw new MalformedDocumentException(
            ("ZR-1123: The plan that was found wants to delete %s%s, which is not below %s. It was"
                    + " changed or is not of this job; nothing was done.")
                .formatted(object.bucket(), object.key(), job.roots()));
      }
    }
    for (Path directory : chunk.markers()) {
      check(directory);
    }
  }

  void check(OutputFile file) throws MalformedDocumentException {
    if (!job.id().equals(file.jobId())) {
      throw new MalformedDocumentException(
          ("ZR-1124: The file %s belongs to job %s and not to %s; two jobs seem to share a staging"
                  + " directory.")
              .formatted(file.destination(), file.jobId(), job.id()));
    }
    if (!isBelowRoot(file.destination(), file.key())) {
      throw new MalformedDocumentException(
          ("ZR-1125: A task manifest names %s, which is not below %s. The manifest was changed or"
                  + " is not of this job; nothing was committed.")
              .formatted(file.destination(), job.roots()));
    }
  }

  void check(Path directory) throws MalformedDocumentException {
    if (!isBelowRoot(directory, ObjectKeys.prefixOf(directory))) {
      throw new MalformedDocumentException(
          ("ZR-1126: The directory %s is to be overwritten, but is not below %s; nothing was"
                  + " committed.")
              .formatted(directory, job.roots()));
    }
  }

  private boolean isBelowRoot(Path inBucket, String key) {
    String location = ObjectKeys.located(inBucket, key);
    return job.roots().stream()
        .anyMatch(root -> location.startsWith(ObjectKeys.located(root, ObjectKeys.prefixOf(root))));
  }
}
