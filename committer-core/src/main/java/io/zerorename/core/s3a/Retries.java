package io.zerorename.core.s3a;

import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.core.metrics.CoreMetric;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;

/** Learns how often the SDK has sent one request again, of which it says nothing else. */
final class Retries implements MetricPublisher {
  /** Nothing is known before the SDK has told. */
  private final AtomicInteger retries = new AtomicInteger(-1);

  /** Called by the SDK before it returns the answer. */
  @Override
  public void publish(MetricCollection call) {
    call.metricValues(CoreMetric.RETRY_COUNT).forEach(retries::set);
  }

  @Override
  public void close() {}

  /** Whether it surely has not. */
  boolean none() {
    return retries.get() == 0;
  }
}
