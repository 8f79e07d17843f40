package io.zerorename.core.log;

import io.zerorename.core.document.VersionedJson;
import io.zerorename.core.upload.PendingUpload;
import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * A chunk of a plan: what one of its documents holds.
 *
 * @param uploads to be completed, no two of the plan to one key
 * @param replaced to be deleted after every file of the plan is visible
 * @param markers directories that need a marker object, because no object would be left in them
 */
public record PlanChunk(List<PendingUpload> uploads, List<OldObject> replaced, List<Path> markers) {
  static final VersionedJson JSON =
      new VersionedJson(
          "chunk of a plan",
          5,
          "Nothing was changed by reading it. Keep it: it says what a job has to do.");

  static final PlanChunk EMPTY = new PlanChunk(List.of(), List.of(), List.of());

  public PlanChunk {
    uploads = List.copyOf(uploads);
    replaced = List.copyOf(replaced);
    markers = List.copyOf(markers);
  }

  /** How many files, old objects and markers it has. */
  int size() {
    return uploads.size() + replaced.size() + markers.size();
  }
}
