package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

/**
 * The documents of a plan that stay in memory, so that they need not be read again: the first ones,
 * and as many more as fit into the memory that all plans have together. Several threads may add.
 */
public final class KeptParts {
  /** A plan of this many documents is never read again by the process that has made it. */
  static final int ALWAYS = 3;

  private static final int SHARE_OF_HEAP = 16;

  /** An upload with its path, identifiers and one ETag, rounded up. */
  private static final long BYTES_PER_ENTRY = 1024;

  private static final long BYTES_PER_UPLOADED_PART = 128;

  /**
   * What several plans share. A plan that was not brought to its end, and that nobody uses any
   * more, has a part in it until it has been collected. In HiveServer2 each session may have loaded
   * this class, and then has a share of its own.
   */
  static final class Memory {
    private static final Memory SHARED =
        new Memory(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

    private final Set<KeptParts> users = Collections.newSetFromMap(new WeakHashMap<>());
    private final long limit;

    /**
     * @param limit in bytes
     */
    Memory(long limit) {
      this.limit = limit;
    }

    private synchronized boolean take(KeptParts user, long size) {
      users.add(user);
      if (users.stream().mapToLong(it -> it.bytes).sum() + size > limit) {
        return false;
      }
      user.bytes += size;
      return true;
    }

    private synchronized void giveBack(KeptParts user) {
      users.remove(user);
      user.bytes = 0;
    }
  }

  private final ConcurrentSkipListMap<Integer, PlanPart> parts = new ConcurrentSkipListMap<>();
  private final Memory memory;

  /** Guarded by the memory. */
  private long bytes;

  public KeptParts() {
    this(Memory.SHARED);
  }

  public KeptParts(Memory memory) {
    this.memory = requireNonNull(memory, "memory");
  }

  /**
   * Keeps a document if it is one of the first or there is room.
   *
   * @param number from 0, in the order of the plan
   */
  public void offer(int number, PlanPart part) {
    if (memory.take(this, sizeOf(part)) || number < ALWAYS) {
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

  /** Leaves its room to other plans: soon nobody uses it any more. */
  void release() {
    memory.giveBack(this);
  }

  public Stream<PlanPart> all() {
    return parts.values().stream();
  }
}
