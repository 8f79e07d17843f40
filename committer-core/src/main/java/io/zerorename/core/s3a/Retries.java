package io.zerorename.core.s3a;

import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.core.metrics.CoreMetric;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;

/** Learns how often the SDK has sent one request again, of which it says nothing else. */
final class Retries implements MetricPublisher {
  private final AtomicInteger retries = new AtomicInteger();

  /** Called by the SDK before it returns the answer. */
  @Override
  public void publish(MetricCollection call) {
    call.metricValues(CoreMetric.RETRY_COUNT).forEach(retries::addAndGet);
  }

  @Override
  public void close() {}

  boolean none() {
    return retries.get() == 0;
  }
}
