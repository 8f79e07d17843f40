package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * A chunk of a plan: what one of its documents holds.
 *
 * @param uploads to be completed, no two of the plan to one key
 * @param inlined small files to be written, likewise
 * @param replaced to be deleted after every file of the plan is visible
 * @param markers directories that need a marker object, because no object would be left in them
 */
public record PlanChunk(
    OutputJob job,
    List<PendingUpload> uploads,
    List<InlineFile> inlined,
    List<OldObject> replaced,
    List<Path> markers) {
  /** An upload with its path, identifiers and one ETag, rounded up. */
  private static final long BYTES_PER_ENTRY = 1024;

  private static final long BYTES_PER_UPLOADED_PART = 128;

  public PlanChunk {
    requireNonNull(job, "job");
    uploads = List.copyOf(uploads);
    inlined = List.copyOf(inlined);
    replaced = List.copyOf(replaced);
    markers = List.copyOf(markers);
  }

  /** What a plan has. */
  enum Kind {
    UPLOADS,
    INLINED,
    REPLACED,
    MARKERS
  }

  List<?> entries(Kind kind) {
    return switch (kind) {
      case UPLOADS -> uploads;
      case INLINED -> inlined;
      case REPLACED -> replaced;
      case MARKERS -> markers;
    };
  }

  /** The directories that it changes: those of new files, of old ones, and emptied ones. */
  public Stream<Path> changedDirectories() {
    return Stream.of(
            files().map(file -> file.destination().getParent()),
            replaced.stream().map(OldObject::directory),
            markers.stream())
        .flatMap(Function.identity());
  }

  /** How many files, old objects and markers it has. */
  int size() {
    return uploads.size() + inlined.size() + replaced.size() + markers.size();
  }

  /** How many bytes it takes in memory, with the contents of its small files. */
  long sizeInMemory() {
    int uploadedParts = uploads.stream().mapToInt(upload -> upload.parts().size()).sum();
    long inlineBytes = inlined.stream().mapToLong(InlineFile::length).sum();
    return sizeInMemory(size(), uploadedParts, inlineBytes);
  }

  /**
   * The same, of what will be one.
   *
   * @param inlineBytes contents of small files, each as often as it is in memory
   */
  static long sizeInMemory(int entries, int uploadedParts, long inlineBytes) {
    return BYTES_PER_ENTRY * entries + BYTES_PER_UPLOADED_PART * uploadedParts + inlineBytes;
  }

  /**
   * The same chunk, whose small files lie in memory.
   *
   * @param contents of all of them, one after the other
   */
  PlanChunk withContents(byte[] contents) {
    List<InlineFile> inMemory = new ArrayList<>();
    int offset = 0;
    for (InlineFile file : inlined) {
      int length = Math.toIntExact(file.length());
      inMemory.add(
          new InlineFile(
              file.destination(),
              RepeatableBody.of(contents, offset, length),
              file.jobId(),
              file.taskAttemptId(),
              file.identity()));
      offset += length;
    }
    return new PlanChunk(job, uploads, inMemory, replaced, markers);
  }

  public Stream<OutputFile> files() {
    return Stream.concat(uploads.stream(), inlined.stream());
  }
}
