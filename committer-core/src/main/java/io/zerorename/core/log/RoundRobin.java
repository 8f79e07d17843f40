package io.zerorename.core.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Collects work, and orders it round-robin over its directories: S3 limits the requests per second
 * and prefix, and files that come partition by partition would meet that limit while other prefixes
 * lie idle.
 */
final class RoundRobin<T> {
  private final Map<String, List<T>> groups = new LinkedHashMap<>();
  private int size;

  void add(String directory, T item) {
    groups.computeIfAbsent(directory, it -> new ArrayList<>()).add(item);
    size++;
  }

  int size() {
    return size;
  }

  Set<String> directories() {
    return groups.keySet();
  }

  Stream<T> stream() {
    return groups.values().stream().flatMap(List::stream);
  }

  /**
   * Of each directory the first, then of each the second, and so on. Items of one directory keep
   * their order.
   */
  List<T> inOrder() {
    List<T> result = new ArrayList<>(size);
    Queue<Iterator<T>> round = new ArrayDeque<>(groups.size());
    groups.values().forEach(group -> round.add(group.iterator()));
    for (Iterator<T> next = round.poll(); next != null; next = round.poll()) {
      result.add(next.next());
      if (next.hasNext()) {
        round.add(next);
      }
    }
    return result;
  }
}
