package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.PlanPart.Kind;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.fs.Path;

/**
 * Everything that a job commit will do. Once it is decided it is carried out as it stands, by
 * whichever process.
 *
 * <p>A large plan is not in memory: whoever goes through it reads its documents one after the
 * other, and meets an {@link UncheckedIOException} where one cannot be read.
 */
public final class CommitPlan implements CommittedUploads {
  private final OutputJob job;
  private final EntryParts parts;
  private final PlanTotals totals;

  CommitPlan(OutputJob job, EntryParts parts, PlanTotals totals) {
    this.job = requireNonNull(job, "job");
    this.parts = requireNonNull(parts, "parts");
    this.totals = requireNonNull(totals, "totals");
  }

  public OutputJob job() {
    return job;
  }

  public String description() {
    return job.description();
  }

  /** How many files will be visible. */
  public int fileCount() {
    return totals.files();
  }

  public long bytes() {
    return totals.bytes();
  }

  /** The task attempts of which a file will be visible. */
  public Set<String> attempts() {
    return totals.attempts();
  }

  /** How many old objects will be deleted. */
  public int replacedCount() {
    return totals.replaced();
  }

  /** How many directories hold the files that will be visible. */
  public int directoryCount() {
    return totals.directories();
  }

  /** How many files are written whole, not completed. */
  public int inlinedCount() {
    return totals.inlined();
  }

  /** The files that will be visible, no two of them at one place. */
  public Iterable<OutputFile> files() {
    return () -> Stream.<OutputFile>concat(stream(uploads()), stream(inlined())).iterator();
  }

  public Iterable<PendingUpload> uploads() {
    return each(Kind.UPLOADS, PlanPart::uploads);
  }

  /** Uploads, document by document. */
  public Iterable<List<PendingUpload>> uploadsByPart() {
    return each(Kind.UPLOADS, part -> List.of(part.uploads()));
  }

  public Iterable<InlineFile> inlined() {
    return each(Kind.INLINED, PlanPart::inlined);
  }

  /** Replaced objects, document by document. */
  public Iterable<List<OldObject>> replacedByPart() {
    return each(Kind.REPLACED, part -> List.of(part.replaced()));
  }

  /** Markers, document by document. */
  public Iterable<List<Path>> markersByPart() {
    return each(Kind.MARKERS, part -> List.of(part.markers()));
  }

  public Iterable<PlanPart> parts() {
    return () -> IntStream.range(0, parts.count()).mapToObj(this::read).iterator();
  }

  /** The directories that the plan changes: those of new files, of old ones, and emptied ones. */
  public Set<Path> changedDirectories() {
    Set<Path> directories = new HashSet<>();
    parts().forEach(part -> part.changedDirectories().forEach(directories::add));
    return directories;
  }

  @Override
  public int uploadsOf(String taskAttemptId) {
    return totals.uploadsOf(taskAttemptId);
  }

  @Override
  public Set<String> among(Set<String> uploadIds) {
    return uploadIds.isEmpty()
        ? Set.of()
        : stream(uploads())
            .map(PendingUpload::uploadId)
            .filter(uploadIds::contains)
            .collect(Collectors.toSet());
  }

  /** To be called when it was carried out and is going to be forgotten. */
  public void release() {
    parts.release();
  }

  /** One part after the other is read, and only those that have something of the kind. */
  private <T> Iterable<T> each(Kind kind, Function<PlanPart, Collection<T>> entries) {
    return () ->
        totals
            .partsWith(kind)
            .mapToObj(this::read)
            .flatMap(it -> entries.apply(it).stream())
            .iterator();
  }

  private static <T> Stream<T> stream(Iterable<T> entries) {
    return StreamSupport.stream(entries.spliterator(), false);
  }

  private PlanPart read(int index) {
    try {
      return parts.get(index);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
