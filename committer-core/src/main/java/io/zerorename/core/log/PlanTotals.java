package io.zerorename.core.log;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.PendingUpload;
import java.util.BitSet;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What is known of a plan without reading it again; grows with its tasks and directories only.
 * Several threads may add.
 */
final class PlanTotals {
  private final Map<String, Integer> uploadsOfAttempts = new HashMap<>();
  private final Set<String> directories = new HashSet<>();

  /** Which chunks hold which kind of entries, in the order of chunks. */
  private final Map<PlanChunk.Kind, BitSet> chunksWith = new EnumMap<>(PlanChunk.Kind.class);

  private int files;
  private long bytes;
  private int replaced;

  /**
   * Adds a chunk.
   *
   * @param index from 0, in the order of the plan
   */
  synchronized void add(int index, PlanChunk chunk) {
    for (PlanChunk.Kind kind : PlanChunk.Kind.values()) {
      if (!chunk.entries(kind).isEmpty()) {
        chunksWith.computeIfAbsent(kind, it -> new BitSet()).set(index);
      }
    }
    for (PendingUpload upload : chunk.uploads()) {
      files++;
      bytes += upload.length();
      directories.add(ObjectKeys.directoryOf(upload.destination()));
      uploadsOfAttempts.merge(upload.taskAttemptId(), 1, Integer::sum);
    }
    replaced += chunk.replaced().size();
  }

  /** The indexes of the chunks that have something of a kind, in order. */
  IntStream chunksWith(PlanChunk.Kind kind) {
    return chunksWith.getOrDefault(kind, new BitSet()).stream();
  }

  int files() {
    return files;
  }

  long bytes() {
    return bytes;
  }

  int replaced() {
    return replaced;
  }

  int directories() {
    return directories.size();
  }

  Set<String> attempts() {
    return Collections.unmodifiableSet(uploadsOfAttempts.keySet());
  }

  int uploadsOf(String taskAttemptId) {
    return uploadsOfAttempts.getOrDefault(taskAttemptId, 0);
  }
}
