package io.zerorename.testing.hive;

import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Request;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Lets every request pass, and notes when it arrived. */
public final class RequestLog implements FaultRule {
  private record Arrival(Instant time, String type) {}

  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();

  @Override
  public Optional<Fault> on(S3Request request) {
    arrivals.add(new Arrival(Instant.now(), request.type().apiName()));
    return Optional.empty();
  }

  /** The number of requests by phase and by the name of their type. */
  public Map<Phase, Map<String, Long>> byPhase(Timeline timeline) {
    Map<Phase, Map<String, Long>> counts = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      counts.put(phase, new TreeMap<>());
    }
    for (Arrival arrival : arrivals) {
      counts.get(timeline.at(arrival.time())).merge(arrival.type(), 1L, Long::sum);
    }
    Map<Phase, Map<String, Long>> result = new LinkedHashMap<>();
    counts.forEach((phase, types) -> result.put(phase, Map.copyOf(types)));
    return result;
  }
}
