package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.PlanPart.Kind;
import io.zerorename.core.store.Pages;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Everything that a job commit will do. Once it is decided it is carried out as it stands, by
 * whichever process.
 *
 * <p>A large plan is not in memory: its iterators read one document after the other.
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
  public RemoteIterator<OutputFile> files() {
    return each(totals.partsWith(Kind.UPLOADS, Kind.INLINED), part -> part.files().toList());
  }

  public RemoteIterator<PendingUpload> uploads() {
    return each(totals.partsWith(Kind.UPLOADS), PlanPart::uploads);
  }

  /** Uploads, document by document. */
  public RemoteIterator<List<PendingUpload>> uploadsByPart() {
    return each(totals.partsWith(Kind.UPLOADS), part -> List.of(part.uploads()));
  }

  public RemoteIterator<InlineFile> inlined() {
    return each(totals.partsWith(Kind.INLINED), PlanPart::inlined);
  }

  /** Replaced objects, document by document. */
  public RemoteIterator<List<OldObject>> replacedByPart() {
    return each(totals.partsWith(Kind.REPLACED), part -> List.of(part.replaced()));
  }

  /** Markers, document by document. */
  public RemoteIterator<List<Path>> markersByPart() {
    return each(totals.partsWith(Kind.MARKERS), part -> List.of(part.markers()));
  }

  public RemoteIterator<PlanPart> parts() {
    return each(IntStream.range(0, parts.count()), List::of);
  }

  /** The directories that the plan changes: those of new files, of old ones, and emptied ones. */
  public Set<Path> changedDirectories() throws IOException {
    Set<Path> directories = new HashSet<>();
    RemoteIterators.foreach(parts(), part -> part.changedDirectories().forEach(directories::add));
    return directories;
  }

  @Override
  public int uploadsOf(String taskAttemptId) {
    return totals.uploadsOf(taskAttemptId);
  }

  @Override
  public Set<String> among(Set<String> uploadIds) throws IOException {
    Set<String> among = new HashSet<>();
    if (!uploadIds.isEmpty()) {
      RemoteIterators.foreach(
          RemoteIterators.filteringRemoteIterator(
              RemoteIterators.mappingRemoteIterator(uploads(), PendingUpload::uploadId),
              uploadIds::contains),
          among::add);
    }
    return among;
  }

  /** To be called when it was carried out and is going to be forgotten. */
  public void release() {
    parts.release();
  }

  /** One part after the other is read when its first entry is needed. */
  private <T> RemoteIterator<T> each(IntStream numbers, Function<PlanPart, List<T>> entries) {
    PrimitiveIterator.OfInt rest = numbers.iterator();
    return new Pages<>(
        (PrimitiveIterator.OfInt ignored) -> {
          List<T> page = rest.hasNext() ? entries.apply(parts.get(rest.nextInt())) : List.of();
          return new Pages.Page<>(page, rest.hasNext() ? rest : null);
        });
  }
}
