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
import java.util.stream.Stream;

/**
 * What is known of a plan without reading it again; grows with its tasks and directories only.
 * Several threads may add.
 */
public final class PlanTotals {
  private final Map<String, Integer> uploadsOfAttempts = new HashMap<>();
  private final Set<String> directories = new HashSet<>();
  private final Set<String> attempts = new HashSet<>();

  /** Of the parts, by their order, which have what. */
  private final Map<PlanPart.Kind, BitSet> partsWith = new EnumMap<>(PlanPart.Kind.class);

  private int files;
  private int inlined;
  private long bytes;
  private int replaced;

  /**
   * Adds a document.
   *
   * @param number from 0, in the order of the plan
   */
  void add(int number, PlanPart part) {
    add(number, part, part.files().map(file -> ObjectKeys.directoryOf(file.destination())));
  }

  /**
   * @param filled the directories of its files, by {@link ObjectKeys#directoryOf}
   */
  synchronized void add(int number, PlanPart part, Stream<String> filled) {
    filled.forEach(directories::add);
    for (PlanPart.Kind kind : PlanPart.Kind.values()) {
      if (!part.entries(kind).isEmpty()) {
        partsWith.computeIfAbsent(kind, it -> new BitSet()).set(number);
      }
    }
    part.files()
        .forEach(
            file -> {
              files++;
              bytes += file.length();
              attempts.add(file.taskAttemptId());
            });
    for (PendingUpload upload : part.uploads()) {
      uploadsOfAttempts.merge(upload.taskAttemptId(), 1, Integer::sum);
    }
    inlined += part.inlined().size();
    replaced += part.replaced().size();
  }

  /** The numbers of the parts that have something of some kinds, in order. */
  IntStream partsWith(PlanPart.Kind... kinds) {
    BitSet numbers = new BitSet();
    for (PlanPart.Kind kind : kinds) {
      numbers.or(partsWith.getOrDefault(kind, new BitSet()));
    }
    return numbers.stream();
  }

  int files() {
    return files;
  }

  public int inlined() {
    return inlined;
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
    return Collections.unmodifiableSet(attempts);
  }

  int uploadsOf(String taskAttemptId) {
    return uploadsOfAttempts.getOrDefault(taskAttemptId, 0);
  }
}
