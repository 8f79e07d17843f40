package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
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

  /** The entry holds a last chunk that has no more files and objects. */
  private static final int EMBEDDED = 1_000;

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

  private final RecordStore records;
  private final OutputJob job;
  private final String id = UUID.randomUUID().toString();
  private final CommitPlan plan;
  private Pending pending = new Pending(0);

  PlanWriter(RecordStore records, OutputJob job) {
    this.records = requireNonNull(records, "records");
    this.job = requireNonNull(job, "job");
    this.plan = new CommitPlan(records, job);
  }

  /** A chunk that is not full yet. */
  private static final class Pending {
    final int index;
    final List<PendingUpload> uploads = new ArrayList<>();
    final List<OldObject> replaced = new ArrayList<>();
    final List<Path> markers = new ArrayList<>();
    int uploadedParts;

    /**
     * @param index its place in the plan
     */
    Pending(int index) {
      this.index = index;
    }

    boolean isFull() {
      return uploads.size() == ENTRIES_PER_CHUNK
          || uploadedParts >= UPLOADED_PARTS_PER_CHUNK
          || replaced.size() == ENTRIES_PER_CHUNK
          || markers.size() == ENTRIES_PER_CHUNK;
    }

    PlanChunk chunk() {
      // So that a batch of old objects lies in few directories.
      return new PlanChunk(uploads, replaced.stream().sorted(BY_KEY).toList(), markers);
    }
  }

  public void add(PendingUpload upload) throws IOException {
    add(
        chunk -> {
          chunk.uploads.add(upload);
          chunk.uploadedParts += upload.parts().size();
        });
  }

  public void replace(OldObject object) throws IOException {
    add(chunk -> chunk.replaced.add(object));
  }

  public void keep(Path directory) throws IOException {
    add(chunk -> chunk.markers.add(directory));
  }

  /**
   * Adds, and writes the chunk if it is full then. Where the process has no room for that, the
   * others wait to add: each would fill a further chunk meanwhile.
   */
  private void add(Consumer<Pending> addition) throws IOException {
    Pending full;
    synchronized (this) {
      addition.accept(pending);
      if (!pending.isFull()) {
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

  private synchronized Pending cut() {
    Pending full = pending;
    pending = new Pending(full.index + 1);
    return full;
  }

  private void write(Pending full, boolean isLast) throws IOException {
    PlanChunk chunk = full.chunk();
    Optional<Document> document =
        isLast && chunk.size() <= EMBEDDED
            ? Optional.empty()
            : Optional.of(write(full.index, chunk.toJson()));
    plan.add(full.index, document, chunk);
  }

  private Document write(int index, byte[] chunk) throws IOException {
    String name = EntryNames.chunk(job.id(), id, index);
    records.putIfAbsent(name, chunk);
    return Document.of(name, chunk);
  }

  /**
   * Writes the last chunk, when no thread adds any more; it may be empty.
   *
   * @throws IllegalStateException where one before it was not written
   */
  public void writeRest() throws IOException {
    Pending last = cut();
    write(last, true);
    if (plan.chunkCount() != last.index + 1) {
      throw new IllegalStateException("a chunk of the plan was not written");
    }
  }

  /** Which task attempt has written a file of the plan, as far as that is in memory. */
  public synchronized Optional<String> attemptOf(Path destination) {
    return Stream.concat(pending.uploads.stream(), plan.uploadsInMemory())
        .filter(upload -> upload.destination().equals(destination))
        .map(PendingUpload::taskAttemptId)
        .findFirst();
  }

  /** Distinguishes this plan from any other of the job. */
  public String id() {
    return id;
  }

  /** The documents that were written, in order. */
  public List<Document> written() {
    return plan.documents();
  }

  /** The plan; complete after {@link #writeRest}. */
  public CommitPlan plan() {
    return plan;
  }
}
