package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.upload.PendingUpload;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * A chunk of a plan: what one of its documents holds.
 *
 * @param uploads to be completed, no two of the plan to one key
 * @param replaced to be deleted after every file of the plan is visible
 * @param markers directories that need a marker object, because no object would be left in them
 */
public record PlanChunk(
    OutputJob job, List<PendingUpload> uploads, List<OldObject> replaced, List<Path> markers) {
  /** An upload with its path, identifiers and one ETag, rounded up. */
  private static final long BYTES_PER_ENTRY = 1024;

  private static final long BYTES_PER_UPLOADED_PART = 128;

  public PlanChunk {
    requireNonNull(job, "job");
    uploads = List.copyOf(uploads);
    replaced = List.copyOf(replaced);
    markers = List.copyOf(markers);
  }

  /** What a plan has. */
  enum Kind {
    UPLOADS,
    REPLACED,
    MARKERS
  }

  List<?> entries(Kind kind) {
    return switch (kind) {
      case UPLOADS -> uploads;
      case REPLACED -> replaced;
      case MARKERS -> markers;
    };
  }

  /** The directories that it changes: those of new files, of old ones, and emptied ones. */
  public Stream<Path> changedDirectories() {
    return Stream.of(
            uploads.stream().map(upload -> upload.destination().getParent()),
            replaced.stream().map(OldObject::directory),
            markers.stream())
        .flatMap(Function.identity());
  }

  /** How many files, old objects and markers it has. */
  int size() {
    return uploads.size() + replaced.size() + markers.size();
  }

  /** How many bytes it takes in memory. */
  long sizeInMemory() {
    return sizeInMemory(size(), uploads.stream().mapToInt(upload -> upload.parts().size()).sum());
  }

  /** The same, of what will be one. */
  static long sizeInMemory(int entries, int uploadedParts) {
    return BYTES_PER_ENTRY * entries + BYTES_PER_UPLOADED_PART * uploadedParts;
  }
}
