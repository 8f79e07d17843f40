package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * Writes a plan chunk by chunk while it is made. Nothing of it counts before an entry names it.
 * Several threads may add. The one that fills a chunk writes it, and the others go on with the
 * next.
 */
public final class PlanWriter {
  /** A document is then some megabytes long. */
  public static final int ENTRIES_PER_CHUNK = 5_000;

  /** A large file has hundreds of parts, each with its ETag. */
  private static final int UPLOADED_PARTS_PER_CHUNK = 50_000;

  private static final Comparator<OldObject> BY_KEY =
      Comparator.comparing((OldObject object) -> object.bucket().toString())
          .thenComparing(OldObject::key);

  private static final int PARTS_OF_HEAP = 8;

  /** For chunks that are being written, of all plans of the process, besides one of each. */
  private static final Semaphore ROOM =
      new Semaphore(
          (int)
              (Runtime.getRuntime().maxMemory()
                  / PARTS_OF_HEAP
                  / PlanChunk.sizeInMemory(ENTRIES_PER_CHUNK, UPLOADED_PARTS_PER_CHUNK)));

  /** Writes the documents of one chunk. */
  @FunctionalInterface
  interface Documents {
    /**
     * @param write distinguishes this plan from any other of the job
     * @param index from 0, in the order of the plan
     * @param last whether the plan is complete with it
     * @return empty where the entry shall hold it
     */
    Optional<Document> write(String write, int index, boolean last, PlanChunk chunk)
        throws IOException;
  }

  private final OutputJob job;
  private final Documents documents;
  private final String id = UUID.randomUUID().toString();
  private final PlanTotals totals = new PlanTotals();
  private final ConcurrentSkipListMap<Integer, Document> written = new ConcurrentSkipListMap<>();
  private final ChunkCache kept = new ChunkCache();

  private Pending pending = new Pending();
  private int chunks;

  private Optional<PlanChunk> embedded = Optional.empty();

  PlanWriter(OutputJob job, Documents documents) {
    this.job = requireNonNull(job, "job");
    this.documents = requireNonNull(documents, "documents");
  }

  /** What the next chunk will hold. */
  private static final class Pending {
    final List<PendingUpload> uploads = new ArrayList<>();
    final List<OldObject> replaced = new ArrayList<>();
    final List<Path> markers = new ArrayList<>();
    int uploadedParts;

    PlanChunk chunk(OutputJob job) {
      // So that a batch of old objects lies in few directories.
      List<OldObject> sorted = replaced.stream().sorted(BY_KEY).toList();
      return new PlanChunk(job, uploads, sorted, markers);
    }
  }

  private record Full(int index, Pending content) {}

  public void add(PendingUpload upload) throws IOException {
    add(
        () -> {
          pending.uploads.add(upload);
          pending.uploadedParts += upload.parts().size();
          return pending.uploads.size() >= ENTRIES_PER_CHUNK
              || pending.uploadedParts >= UPLOADED_PARTS_PER_CHUNK;
        });
  }

  public void replace(OldObject object) throws IOException {
    add(
        () -> {
          pending.replaced.add(object);
          return pending.replaced.size() >= ENTRIES_PER_CHUNK;
        });
  }

  public void keep(Path directory) throws IOException {
    add(
        () -> {
          pending.markers.add(directory);
          return pending.markers.size() >= ENTRIES_PER_CHUNK;
        });
  }

  /**
   * Adds, and writes the chunk if it is full then. Where the process has no room for that, the
   * others wait to add: each would fill a further chunk meanwhile.
   *
   * @param addition answers whether the chunk is full
   */
  private void add(BooleanSupplier addition) throws IOException {
    Full full;
    synchronized (this) {
      if (!addition.getAsBoolean()) {
        return;
      }
      full = cut();
      if (!ROOM.tryAcquire()) {
        write(full, false);
        return;
      }
    }
    try {
      write(full, false);
    } finally {
      ROOM.release();
    }
  }

  private Full cut() {
    Full full = new Full(chunks++, pending);
    pending = new Pending();
    return full;
  }

  private void write(Full full, boolean isLast) throws IOException {
    PlanChunk chunk = full.content().chunk(job);
    totals.add(full.index(), chunk);
    Optional<Document> document = documents.write(id, full.index(), isLast, chunk);
    document.ifPresent(it -> written.put(full.index(), it));
    kept.offer(full.index(), chunk);
    if (document.isEmpty()) {
      embedded = Optional.of(chunk);
    }
  }

  /** Which task attempt has written a file of the plan, as far as that is in memory. */
  public synchronized Optional<String> attemptOf(Path destination) {
    return Stream.of(
            pending.uploads.stream(), kept.all().flatMap(chunk -> chunk.uploads().stream()))
        .<PendingUpload>flatMap(uploads -> uploads)
        .filter(upload -> upload.destination().equals(destination))
        .map(PendingUpload::taskAttemptId)
        .findFirst();
  }

  /** Distinguishes this plan from any other of the job. */
  public String id() {
    return id;
  }

  OutputJob job() {
    return job;
  }

  /** The documents that were written, in order. */
  public List<Document> written() {
    return List.copyOf(written.values());
  }

  /** The last chunk, where the entry has to hold it; after {@link #finish}. */
  Optional<PlanChunk> embedded() {
    return embedded;
  }

  /** How the files of each attempt, and all of them, add up; complete after {@link #finish}. */
  PlanTotals totals() {
    return totals;
  }

  /** The chunks that need not be read again. */
  public ChunkCache kept() {
    return kept;
  }

  /**
   * Writes the last chunk, when no thread adds any more; it may be empty.
   *
   * @throws IllegalStateException where one before it was not written
   */
  public void finish() throws IOException {
    Full end;
    synchronized (this) {
      end = cut();
    }
    write(end, true);
    if (written.size() + (embedded.isPresent() ? 1 : 0) != chunks) {
      throw new IllegalStateException("a chunk of the plan was not written");
    }
  }
}
