package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.PlanChunk.Kind;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.Pages;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Everything that a job commit will do. Once it is decided, any process executes it as it stands.
 *
 * <p>A large plan is not in memory: its iterators read one chunk after the other.
 *
 * @param documents its chunks, in order
 * @param embedded the last chunk, where the entry itself holds it
 * @param kept chunks that need not be read
 */
public record CommitPlan(
    RecordStore records,
    OutputJob job,
    List<Document> documents,
    Optional<PlanChunk> embedded,
    ChunkCache kept,
    PlanTotals totals) {
  public CommitPlan {
    requireNonNull(records, "records");
    requireNonNull(job, "job");
    documents = List.copyOf(documents);
    requireNonNull(embedded, "embedded");
    requireNonNull(kept, "kept");
    requireNonNull(totals, "totals");
  }

  /** The plan of an entry; each chunk is read now. */
  static CommitPlan read(RecordStore records, LogEntry entry) throws IOException {
    ChunkCache kept = new ChunkCache();
    PlanTotals totals = new PlanTotals();
    CommitPlan plan =
        new CommitPlan(records, entry.job(), entry.chunks(), entry.embedded(), kept, totals);
    for (int i = 0; i < plan.chunkCount(); i++) {
      PlanChunk chunk = plan.chunk(i);
      totals.add(i, chunk);
      kept.offer(i, chunk);
    }
    return plan;
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

  /** The files that will be visible, no two of them at one place. */
  public RemoteIterator<PendingUpload> uploads() {
    return each(totals.chunksWith(Kind.UPLOADS), PlanChunk::uploads);
  }

  /** Uploads, chunk by chunk. */
  public RemoteIterator<List<PendingUpload>> uploadsByChunk() {
    return each(totals.chunksWith(Kind.UPLOADS), chunk -> List.of(chunk.uploads()));
  }

  /** Replaced objects, chunk by chunk. */
  public RemoteIterator<List<OldObject>> replacedByChunk() {
    return each(totals.chunksWith(Kind.REPLACED), chunk -> List.of(chunk.replaced()));
  }

  /** Markers, chunk by chunk. */
  public RemoteIterator<List<Path>> markersByChunk() {
    return each(totals.chunksWith(Kind.MARKERS), chunk -> List.of(chunk.markers()));
  }

  public RemoteIterator<PlanChunk> chunks() {
    return each(IntStream.range(0, chunkCount()), List::of);
  }

  private int chunkCount() {
    return documents.size() + (embedded.isPresent() ? 1 : 0);
  }

  /** The directories that the plan changes: those of new files, of old ones, and emptied ones. */
  public Set<Path> changedDirectories() throws IOException {
    Set<Path> directories = new HashSet<>();
    RemoteIterators.foreach(
        chunks(), chunk -> chunk.changedDirectories().forEach(directories::add));
    return directories;
  }

  /** How many uploads of a task attempt will be visible. */
  public int uploadsOf(String taskAttemptId) {
    return totals.uploadsOf(taskAttemptId);
  }

  /** Gives its memory to other plans; to be called when it was executed. */
  public void release() {
    kept.release();
  }

  /** One chunk after the other is read when its first entry is needed. */
  private <T> RemoteIterator<T> each(IntStream numbers, Function<PlanChunk, List<T>> entries) {
    PrimitiveIterator.OfInt rest = numbers.iterator();
    return new Pages<>(
        (PrimitiveIterator.OfInt ignored) -> {
          List<T> page = rest.hasNext() ? entries.apply(chunk(rest.nextInt())) : List.of();
          return new Pages.Page<>(page, rest.hasNext() ? rest : null);
        });
  }

  private PlanChunk chunk(int index) throws IOException {
    Optional<PlanChunk> inMemory = kept.get(index);
    if (inMemory.isPresent()) {
      return inMemory.get();
    }
    return index < documents.size() ? read(documents.get(index)) : embedded.orElseThrow();
  }

  private PlanChunk read(Document document) throws IOException {
    String where = records.locate(document.name());
    byte[] bytes =
        records
            .get(document.name())
            .orElseThrow(
                () ->
                    new MalformedManifestException(
                        ("ZR-1206: The plan %s is gone: something deletes the committer's records."
                                + " What it listed cannot be known.")
                            .formatted(where),
                        null));
    if (!document.is(bytes)) {
      throw new MalformedManifestException(
          "ZR-1207: The plan %s is not the one that was decided: it was changed or damaged."
              .formatted(where),
          null);
    }
    return ChunkJson.read(bytes, where, job);
  }
}
