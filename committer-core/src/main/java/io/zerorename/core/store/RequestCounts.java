package io.zerorename.core.store;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests by type; any number of threads may add. */
public final class RequestCounts {
  private final Map<RequestType, LongAdder> counts = new ConcurrentHashMap<>();

  public void add(RequestType type) {
    counts.computeIfAbsent(type, it -> new LongAdder()).increment();
  }

  /** The types of which there was at least one request, in the order of their declaration. */
  public Map<RequestType, Long> toMap() {
    Map<RequestType, Long> result = new EnumMap<>(RequestType.class);
    counts.forEach((type, count) -> result.put(type, count.sum()));
    return result;
  }
}
