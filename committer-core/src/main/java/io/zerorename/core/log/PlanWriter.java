package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.parallel.BackgroundWrites;
import io.zerorename.core.parallel.ProcessShare;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * Writes a plan down, document by document, while it is made. Nothing of it counts before it is
 * decided. Several threads may add; they need not wait for documents that are on their way.
 *
 * @param <D> by which a document is found again
 */
public final class PlanWriter<D> {
  /** A document is then some megabytes long. */
  public static final int ENTRIES_PER_PART = 5_000;

  /** A large file has hundreds of parts, each with its ETag. */
  private static final int UPLOADED_PARTS_PER_PART = 50_000;

  /** Of the bytes of small files, in one document. */
  public static final long INLINE_BYTES_PER_PART = 8L << 20;

  private static final Comparator<OldObject> BY_PLACE =
      Comparator.comparing((OldObject object) -> object.bucket().toString())
          .thenComparing(OldObject::key);

  /**
   * So many documents are in memory at once: 128 MiB where they hold small files, which are there
   * twice then, as they were read and as they are written.
   */
  private static final int WRITTEN_AT_ONCE = 8;

  private static final int SHARE_OF_HEAP = 8;

  /** For the documents of the process that are being written, beside one of each plan. */
  private static final ProcessShare UNDER_WAY =
      ProcessShare.of("bytes of plans under way", Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

  /** Writes one document. */
  @FunctionalInterface
  public interface Documents<D> {
    /**
     * @param number from 0, in the order of the plan
     * @param last whether the plan is whole with it
     */
    Written<D> write(String proposal, int number, boolean last, PlanPart part) throws IOException;
  }

  /**
   * A document that was written.
   *
   * @param part its content; bodies of small files lie in memory
   */
  public record Written<D>(D document, PlanPart part) {}

  private final OutputJob job;
  private final Documents<D> documents;
  private final String id = UUID.randomUUID().toString();
  private final PlanTotals totals = new PlanTotals();
  private final BackgroundWrites writes = new BackgroundWrites(WRITTEN_AT_ONCE, UNDER_WAY);
  private final ConcurrentSkipListMap<Integer, D> written = new ConcurrentSkipListMap<>();
  private final ChunkCache kept = new ChunkCache();

  private RoundRobin<PendingUpload> uploads = new RoundRobin<>();
  private RoundRobin<InlineFile> inlined = new RoundRobin<>();
  private List<OldObject> replaced = new ArrayList<>();
  private List<Path> markers = new ArrayList<>();
  private long inlineBytes;
  private int uploadedParts;
  private int parts;

  /** The latest full document, until it is known whether it is the last one. */
  private Optional<Full> held = Optional.empty();

  private Optional<PlanPart> end = Optional.empty();

  PlanWriter(OutputJob job, Documents<D> documents) {
    this.job = requireNonNull(job, "job");
    this.documents = requireNonNull(documents, "documents");
  }

  /**
   * What a document that is full will hold.
   *
   * @param size in memory while it is written
   */
  private record Full(
      int number,
      long size,
      RoundRobin<PendingUpload> uploads,
      RoundRobin<InlineFile> inlined,
      List<OldObject> replaced,
      List<Path> markers) {
    Stream<OutputFile> files() {
      return Stream.concat(uploads.stream(), inlined.stream());
    }

    Stream<String> directories() {
      return Stream.concat(uploads.directories().stream(), inlined.directories().stream());
    }

    /** The document. It takes a while to put it in order: not while others wait to add. */
    PlanPart part(OutputJob job) {
      return new PlanPart(
          job,
          uploads.inOrder(),
          inlined.inOrder(),
          // So that a batch of them lies in few directories.
          replaced.stream().sorted(BY_PLACE).toList(),
          markers);
    }
  }

  /**
   * @param directory of the file, by {@link ObjectKeys#directoryOf}
   */
  public void add(OutputFile file, String directory) throws IOException {
    add(
        () -> {
          if (file instanceof PendingUpload upload) {
            uploads.add(directory, upload);
            uploadedParts += upload.parts().size();
            return uploads.size() >= ENTRIES_PER_PART || uploadedParts >= UPLOADED_PARTS_PER_PART;
          }
          if (file instanceof InlineFile small) {
            inlined.add(directory, small);
            inlineBytes += small.length();
            return inlined.size() >= ENTRIES_PER_PART || inlineBytes >= INLINE_BYTES_PER_PART;
          }
          throw new IllegalArgumentException("no kind of file: " + file);
        });
  }

  public void replace(OldObject object) throws IOException {
    add(
        () -> {
          replaced.add(object);
          return replaced.size() >= ENTRIES_PER_PART;
        });
  }

  public void keep(Path directory) throws IOException {
    add(
        () -> {
          markers.add(directory);
          return markers.size() >= ENTRIES_PER_PART;
        });
  }

  /**
   * Adds, and has the document written that was full before. Whoever adds has the room for that:
   * otherwise each thread that waits for it would hold a full document. Where the process has no
   * room, this thread writes, and others wait to add: they would fill further documents meanwhile.
   *
   * @param addition answers whether the document is full
   */
  private void add(BooleanSupplier addition) throws IOException {
    writes.takeRoom();
    boolean used = false;
    try {
      synchronized (this) {
        boolean full = addition.getAsBoolean();
        Optional<Full> before = held;
        held = cut(full);
        if (before.isPresent()) {
          used = true;
          writes.write(before.get().size(), () -> write(before.get(), false));
        }
      }
    } finally {
      if (!used) {
        writes.giveBack();
      }
    }
  }

  private Optional<Full> cut(boolean full) {
    if (!full) {
      return Optional.empty();
    }
    int entries = uploads.size() + inlined.size() + replaced.size() + markers.size();
    long size = PlanPart.sizeInMemory(entries, uploadedParts, 2 * inlineBytes);
    Full cut = new Full(parts++, size, uploads, inlined, replaced, markers);
    uploads = new RoundRobin<>();
    inlined = new RoundRobin<>();
    replaced = new ArrayList<>();
    markers = new ArrayList<>();
    inlineBytes = 0;
    uploadedParts = 0;
    return Optional.of(cut);
  }

  private void write(Full full, boolean last) throws IOException {
    PlanPart part = full.part(job);
    totals.add(full.number(), part, full.directories());
    Written<D> result = documents.write(id, full.number(), last, part);
    written.put(full.number(), result.document());
    kept.offer(full.number(), result.part());
    if (last) {
      end = Optional.of(result.part());
    }
  }

  /** Which task attempt has written a file of the plan, as far as that is in memory. */
  public synchronized Optional<String> attemptOf(Path destination) {
    return Stream.of(
            uploads.stream(),
            inlined.stream(),
            held.stream().flatMap(Full::files),
            kept.all().flatMap(PlanPart::files))
        .<OutputFile>flatMap(files -> files)
        .filter(file -> file.destination().equals(destination))
        .map(OutputFile::taskAttemptId)
        .findFirst();
  }

  /** Tells this plan from any other of the job. */
  public String id() {
    return id;
  }

  /** The documents that were written, in order, once none is on its way. */
  public List<D> written() {
    writes.await();
    return List.copyOf(written.values());
  }

  /** The last document; after {@link #finish}. */
  public PlanPart last() {
    return end.orElseThrow();
  }

  /** How the files of each attempt, and all of them, add up; complete after {@link #finish}. */
  public PlanTotals totals() {
    return totals;
  }

  /** The documents that need not be read again. */
  public ChunkCache kept() {
    return kept;
  }

  /**
   * Writes the last document, which is empty in an empty plan only. Others may be on their way yet,
   * which are waited for.
   *
   * @return all documents, in order
   */
  public List<D> finish() throws IOException {
    Full last;
    synchronized (this) {
      last = held.or(() -> cut(true)).orElseThrow();
      held = Optional.empty();
    }
    writes.takeRoom();
    try {
      write(last, true);
    } finally {
      writes.giveBack();
      writes.await();
    }
    writes.throwAny();
    return List.copyOf(written.values());
  }
}
