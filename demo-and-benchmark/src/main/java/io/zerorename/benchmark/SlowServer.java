package io.zerorename.benchmark;

import io.zerorename.testing.s3server.Latency;
import io.zerorename.testing.s3server.MeasuredBucket;
import io.zerorename.testing.s3server.RequestCounts;
import java.io.IOException;
import java.time.Duration;

/** A bucket that is slow, and counts, while something is measured. */
record SlowServer(BenchmarkOptions options, MeasuredBucket bucket) {
  private static final long MEGABYTE = 1_000_000;

  /** What is measured. */
  @FunctionalInterface
  interface Work<T, E extends Exception> {
    T run() throws E, IOException, InterruptedException;
  }

  /** What came out of work, and the requests that it sent. */
  record Measured<T>(T result, RequestCounts requests) {}

  /**
   * Does something on a slow server, and counts its requests; the server is fast before and after.
   */
  <T, E extends Exception> Measured<T> measure(int latencyMillis, Work<T, E> work)
      throws E, IOException, InterruptedException {
    int added = options.addedMillis(latencyMillis);
    RequestCounts before = bucket.gateway().counts();
    bucket
        .gateway()
        .latency(
            added == 0
                ? Latency.NONE
                : Latency.NONE
                    .withPerRequest(Duration.ofMillis(added))
                    .withCopyRate(options.copyRate * MEGABYTE)
                    .withUploadRate(options.uploadRate * MEGABYTE));
    try {
      T result = work.run();
      return new Measured<>(result, bucket.gateway().counts().minus(before));
    } finally {
      bucket.gateway().latency(Latency.NONE);
    }
  }
}
