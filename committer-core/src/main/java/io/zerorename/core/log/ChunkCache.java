package io.zerorename.core.log;

import io.zerorename.core.parallel.ProcessShare;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

/**
 * The documents of a plan that stay in memory, so that they need not be read again: the first one,
 * and as many more as fit into the memory that all plans of the process have together. Several
 * threads may add.
 */
public final class ChunkCache {
  private static final int SHARE_OF_HEAP = 8;

  /** For the documents of all plans, beside the first one of each. */
  private static final ProcessShare KEPT =
      ProcessShare.of("bytes of plans kept", Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

  private final ConcurrentSkipListMap<Integer, PlanPart> parts = new ConcurrentSkipListMap<>();
  private final ProcessShare.User memory;

  ChunkCache() {
    this(KEPT);
  }

  ChunkCache(ProcessShare memory) {
    this.memory = memory.user();
  }

  /**
   * Keeps a document if it is the first or there is room.
   *
   * @param number from 0, in the order of the plan
   */
  void offer(int number, PlanPart part) {
    if (number == 0 || memory.tryTake(part.sizeInMemory())) {
      parts.put(number, part);
    }
  }

  Optional<PlanPart> get(int number) {
    return Optional.ofNullable(parts.get(number));
  }

  /** Leaves its room to other plans: soon nobody uses it any more. */
  public void release() {
    memory.giveBackAll();
  }

  Stream<PlanPart> all() {
    return parts.values().stream();
  }
}
