package io.zerorename.core.s3a;

import java.util.List;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;

/**
 * Whether the SDK has sent one request again; no answer says so. An attempt that was refused,
 * because the store asked for fewer requests, does not count.
 */
final class Retries implements MetricPublisher {
  /** Unknown before the SDK has published its metrics. */
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
