package io.zerorename.core.log;

import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
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

  /** For chunks that are being written, of all plans of the process, besides one of each. */
  private static final Semaphore ROOM = new Semaphore(4);

  private final RecordStore records;
  private final String id = UUID.randomUUID().toString();
  private final CommitPlan plan;
  private Pending pending = new Pending();

  /** The last chunk, which the entry holds. */
  private PlanChunk embedded;

  /** How many chunks are full. */
  private int full;

  PlanWriter(RecordStore records, OutputJob job) {
    this.records = records;
    this.plan = new CommitPlan(records, job);
  }

  /** A chunk that is not full yet. */
  private static final class Pending {
    final List<PendingUpload> uploads = new ArrayList<>();
    final List<OldObject> replaced = new ArrayList<>();
    final List<Path> markers = new ArrayList<>();
    int uploadedParts;

    boolean isFull() {
      return uploads.size() == ENTRIES_PER_CHUNK
          || uploadedParts >= UPLOADED_PARTS_PER_CHUNK
          || replaced.size() == ENTRIES_PER_CHUNK
          || markers.size() == ENTRIES_PER_CHUNK;
    }

    PlanChunk chunk() {
      // So that a batch of old objects lies in few directories.
      replaced.sort(Comparator.comparing(OldObject::bucket).thenComparing(OldObject::key));
      return new PlanChunk(uploads, replaced, markers);
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
    Pending chunk;
    synchronized (this) {
      addition.accept(pending);
      if (!pending.isFull()) {
        return;
      }
      full++;
      chunk = cut();
      if (!ROOM.tryAcquire()) {
        write(chunk.chunk());
        return;
      }
    }
    try {
      write(chunk.chunk());
    } finally {
      ROOM.release();
    }
  }

  private synchronized Pending cut() {
    Pending last = pending;
    pending = new Pending();
    return last;
  }

  private void write(PlanChunk chunk) throws IOException {
    byte[] document = PlanChunk.JSON.write(chunk);
    String name = EntryNames.chunk(plan.job().id(), id, document);
    records.putIfAbsent(name, document);
    plan.add(Optional.of(name), chunk);
  }

  /**
   * Writes the last chunk, when no thread adds any more; it may be empty.
   *
   * @throws IllegalStateException where one before it was not written
   */
  public void writeRest() throws IOException {
    if (plan.documents().size() != full) {
      throw new IllegalStateException("a chunk of the plan was not written");
    }
    embedded = cut().chunk();
    if (embedded.size() > EMBEDDED) {
      write(embedded);
      embedded = PlanChunk.EMPTY;
    }
    plan.add(Optional.empty(), embedded);
  }

  /** Distinguishes this plan from any other of the job. */
  public String id() {
    return id;
  }

  /** The plan; complete after {@link #writeRest}. */
  public CommitPlan plan() {
    return plan;
  }

  /** A draft of the entry that decides the job for the plan, which is complete. */
  public LogEntry draft(
      Collection<Path> scope, Collection<Path> replaces, SortedSet<Long> follows) {
    return new LogEntry(
        0,
        replaces.isEmpty() ? EntryKind.ADD : EntryKind.REPLACE,
        id,
        plan.job(),
        List.copyOf(scope),
        replaces.stream().sorted().distinct().toList(),
        follows,
        new TreeSet<>(),
        plan.documents(),
        embedded);
  }
}
