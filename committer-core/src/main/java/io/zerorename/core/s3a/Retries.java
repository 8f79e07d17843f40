package io.zerorename.core.s3a;

import java.util.List;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;

/**
 * Learns whether the SDK has sent one request again, of which it says nothing else. An attempt that
 * was refused, because the store asked for fewer requests, does not count.
 */
final class Retries implements MetricPublisher {
  /** Nothing is known before the SDK has told. */
  private volatile boolean none;

  /** Called by the SDK before it returns the answer. */
  @Override
  public void publish(MetricCollection call) {
    List<MetricCollection> attempts = call.childrenWithName(InstrumentedClient.ATTEMPT).toList();
    none =
        !attempts.isEmpty()
            && attempts.subList(0, attempts.size() - 1).stream()
                .allMatch(InstrumentedClient::isRefusal);
  }

  @Override
  public void close() {}

  /** Whether no other copy of the request can be under way. */
  boolean none() {
    return none;
  }
}
