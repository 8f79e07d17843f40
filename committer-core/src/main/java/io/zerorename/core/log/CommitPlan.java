package io.zerorename.core.log;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.Pages;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Everything that a job commit will do. Once it is decided, any process executes it as it stands.
 *
 * <p>A large plan is not in memory: its iterators read one chunk after the other. What stays there
 * grows with its tasks, directories and chunks only.
 */
public final class CommitPlan {
  /**
   * How many chunks need not be read again, besides one in the entry: some megabytes each. A
   * process may have many plans at once: its own, and those of all entries that an overwrite
   * follows.
   */
  private static final int KEPT = 3;

  private final RecordStore records;
  private final OutputJob job;
  private final List<Chunk> chunks = new ArrayList<>();
  private final Set<String> attempts = new HashSet<>();
  private long bytes;

  /**
   * What is known of a chunk without reading it.
   *
   * @param document its name; empty where the entry itself holds it
   * @param content empty where it has to be read
   */
  private record Chunk(
      Optional<String> document,
      Optional<PlanChunk> content,
      int uploads,
      int replaced,
      int markers) {}

  CommitPlan(RecordStore records, OutputJob job) {
    this.records = records;
    this.job = job;
  }

  /** The plan of an entry; each chunk is read now. */
  static CommitPlan read(RecordStore records, LogEntry entry) throws IOException {
    CommitPlan plan = new CommitPlan(records, entry.job());
    for (String document : entry.chunks()) {
      plan.add(Optional.of(document), plan.read(document));
    }
    plan.add(Optional.empty(), entry.embedded());
    return plan;
  }

  /** Adds a chunk of a document, or of the entry; several threads may. */
  synchronized void add(Optional<String> document, PlanChunk chunk) {
    chunks.add(
        new Chunk(
            document,
            document.isEmpty() || chunks.size() < KEPT ? Optional.of(chunk) : Optional.empty(),
            chunk.uploads().size(),
            chunk.replaced().size(),
            chunk.markers().size()));
    for (PendingUpload upload : chunk.uploads()) {
      bytes += upload.length();
      attempts.add(upload.taskAttemptId());
    }
  }

  public OutputJob job() {
    return job;
  }

  /** How many files will be visible. */
  public int fileCount() {
    return chunks.stream().mapToInt(Chunk::uploads).sum();
  }

  public long bytes() {
    return bytes;
  }

  /** Whether it says nothing, as that of a statement which an engine has run itself. */
  public boolean isEmpty() {
    return chunks.stream().allMatch(it -> it.uploads() + it.replaced() + it.markers() == 0);
  }

  /** The task attempts of which a file will be visible. */
  public Set<String> attempts() {
    return Collections.unmodifiableSet(attempts);
  }

  /** How many old objects will be deleted. */
  public int replacedCount() {
    return chunks.stream().mapToInt(Chunk::replaced).sum();
  }

  /** The files that will be visible, no two of them at one place. */
  public RemoteIterator<PendingUpload> uploads() {
    return each(Chunk::uploads, PlanChunk::uploads);
  }

  /** Replaced objects, chunk by chunk. */
  public RemoteIterator<List<OldObject>> replacedByChunk() {
    return each(Chunk::replaced, chunk -> List.of(chunk.replaced()));
  }

  /** Directories that need a marker object. */
  public RemoteIterator<Path> markers() {
    return each(Chunk::markers, PlanChunk::markers);
  }

  public RemoteIterator<PlanChunk> chunks() {
    return each(any -> 1, List::of);
  }

  /** The directories that the plan changes: those of new files, of old ones, and emptied ones. */
  public Set<Path> changedDirectories() throws IOException {
    Set<Path> changed = new HashSet<>();
    RemoteIterators.foreach(
        chunks(),
        chunk -> {
          chunk.uploads().forEach(it -> changed.add(it.destination().getParent()));
          chunk.replaced().forEach(it -> changed.add(it.directory()));
          changed.addAll(chunk.markers());
        });
    return changed;
  }

  /** The documents that hold it, as far as they are written. */
  public synchronized List<String> documents() {
    return chunks.stream().flatMap(chunk -> chunk.document().stream()).toList();
  }

  /**
   * One chunk after the other is read when its first entry is needed.
   *
   * @param count how many entries of the kind one has
   */
  private <T> RemoteIterator<T> each(
      ToIntFunction<Chunk> count, Function<PlanChunk, List<T>> entries) {
    Iterator<Chunk> rest = chunks.stream().filter(it -> count.applyAsInt(it) > 0).iterator();
    return new Pages<>(
        (Iterator<Chunk> ignored) -> {
          List<T> page = rest.hasNext() ? entries.apply(content(rest.next())) : List.of();
          return new Pages.Page<>(page, rest.hasNext() ? rest : null);
        });
  }

  private PlanChunk content(Chunk chunk) throws IOException {
    return chunk.content().isPresent()
        ? chunk.content().get()
        : read(chunk.document().orElseThrow());
  }

  private PlanChunk read(String document) throws IOException {
    String where = records.locate(document);
    byte[] bytes =
        records
            .get(document)
            .orElseThrow(
                () ->
                    new MalformedDocumentException(
                        ("ZR-1206: The plan %s is gone: something deletes the committer's records."
                                + " What it listed cannot be known.")
                            .formatted(where)));
    if (!EntryNames.isChunk(document, bytes)) {
      throw new MalformedDocumentException(
          "ZR-1207: The plan %s is not the one that was decided: it was changed or damaged."
              .formatted(where));
    }
    return PlanChunk.JSON.read(bytes, where, PlanChunk.class);
  }
}
