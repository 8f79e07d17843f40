package io.zerorename.core.log;

import io.zerorename.core.parallel.ProcessShare;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

/**
 * The chunks of a plan that stay in memory, so that they need not be read again: the first one, and
 * as many more as fit into the memory that all plans of the process have together. Several threads
 * may add.
 */
public final class ChunkCache {
  private final ConcurrentSkipListMap<Integer, PlanChunk> chunks = new ConcurrentSkipListMap<>();
  private final ProcessShare.User memory;

  ChunkCache() {
    this(ProcessShare.PLANS_KEPT);
  }

  ChunkCache(ProcessShare memory) {
    this.memory = memory.user();
  }

  /**
   * Keeps a chunk if it is the first or there is room.
   *
   * @param index from 0, in the order of the plan
   */
  void offer(int index, PlanChunk chunk) {
    if (index == 0 || memory.tryTake(chunk.sizeInMemory())) {
      chunks.put(index, chunk);
    }
  }

  Optional<PlanChunk> get(int index) {
    return Optional.ofNullable(chunks.get(index));
  }

  /** Gives its room to other plans. */
  public void release() {
    memory.giveBackAll();
  }

  Stream<PlanChunk> all() {
    return chunks.values().stream();
  }
}
