package io.zerorename.core.store;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests by type; any number of threads may add. */
public final class RequestCounts {
  private final Map<RequestType, LongAdder> counts;

  public RequestCounts() {
    Map<RequestType, LongAdder> all = new EnumMap<>(RequestType.class);
    for (RequestType type : RequestType.values()) {
      all.put(type, new LongAdder());
    }
    counts = Collections.unmodifiableMap(all);
  }

  public void add(RequestType type) {
    counts.get(type).increment();
  }

  /** The types of which there was at least one request, in the order of their declaration. */
  public Map<RequestType, Long> toMap() {
    Map<RequestType, Long> result = new EnumMap<>(RequestType.class);
    counts.forEach(
        (type, count) -> {
          if (count.sum() > 0) {
            result.put(type, count.sum());
          }
        });
    return result;
  }
}
