package io.zerorename.core.commit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Function;

/**
 * Orders work so that it goes round over its groups: S3 limits the requests per second and prefix,
 * and files that come partition by partition would meet that limit while other prefixes lie idle.
 */
final class Interleaved {
  /** Beyond which items are not brought together, so that little is needed besides the list. */
  static final int WINDOW = 10_000;

  private Interleaved() {}

  /**
   * All items, window by window: of each group the first, then of each the second, and so on. Items
   * of one group keep their order.
   */
  static <T, G> List<T> over(List<T> items, Function<? super T, G> group) {
    List<T> result = new ArrayList<>(items.size());
    for (int from = 0; from < items.size(); from += WINDOW) {
      addRoundRobin(items.subList(from, Math.min(items.size(), from + WINDOW)), group, result);
    }
    return result;
  }

  private static <T, G> void addRoundRobin(
      List<T> window, Function<? super T, G> group, List<T> result) {
    Map<G, Queue<T>> groups = new LinkedHashMap<>();
    for (T item : window) {
      groups.computeIfAbsent(group.apply(item), it -> new ArrayDeque<>()).add(item);
    }
    Queue<Queue<T>> round = new ArrayDeque<>(groups.values());
    for (Queue<T> next = round.poll(); next != null; next = round.poll()) {
      result.add(next.remove());
      if (!next.isEmpty()) {
        round.add(next);
      }
    }
  }
}
