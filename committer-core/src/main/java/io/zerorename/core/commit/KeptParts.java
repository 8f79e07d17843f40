package io.zerorename.core.commit;

import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The documents of a plan that stay in memory, so that they need not be read again: as many as fit
 * into a share of it. Several threads may add.
 */
final class KeptParts {
  /** In a process that runs several commits at once, each has this. */
  private static final long MOST_BYTES = 64L << 20;

  private static final int SHARE_OF_HEAP = 16;

  /** An upload with its path, identifiers and one ETag, rounded up. */
  private static final long BYTES_PER_ENTRY = 1024;

  private static final long BYTES_PER_UPLOADED_PART = 128;

  private final ConcurrentSkipListMap<Integer, PlanPart> parts = new ConcurrentSkipListMap<>();
  private final long limit;
  private long bytes;

  KeptParts() {
    this(Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
  }

  KeptParts(long limit) {
    this.limit = limit;
  }

  /**
   * Keeps a document if there is room.
   *
   * @param number from 0, in the order of the plan
   */
  synchronized void offer(int number, PlanPart part) {
    long size = sizeOf(part);
    if (bytes + size <= limit) {
      bytes += size;
      parts.put(number, part);
    }
  }

  private static long sizeOf(PlanPart part) {
    long size = 0;
    for (PlanPart.Kind kind : PlanPart.Kind.values()) {
      size += BYTES_PER_ENTRY * part.entries(kind).size();
    }
    for (PendingUpload upload : part.uploads()) {
      size += BYTES_PER_UPLOADED_PART * upload.parts().size();
    }
    for (InlineFile file : part.inlined()) {
      size += file.length();
    }
    return size;
  }

  Optional<PlanPart> get(int number) {
    return Optional.ofNullable(parts.get(number));
  }

  List<PlanPart> all() {
    return List.copyOf(parts.values());
  }
}
