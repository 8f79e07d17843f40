package io.zerorename.benchmark;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.Latency;
import io.zerorename.testing.s3server.MeasuredBucket;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.S3Access;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/** A bucket that is slow, and counts, while something is measured. */
final class SlowServer implements Closeable {
  private static final long MEGABYTE = 1_000_000;

  private final BenchmarkOptions options;
  private final MeasuredBucket bucket;
  private final Consumer<RequestCounts> end;

  /**
   * @param end is given the requests of all its life
   */
  SlowServer(BenchmarkOptions options, MeasuredBucket bucket, Consumer<RequestCounts> end) {
    this.options = options;
    this.bucket = bucket;
    this.end = end;
  }

  /** What is measured. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  /**
   * Does something on a slow server, and counts its requests; the server is fast before and after.
   */
  RequestCounts measure(int latencyMillis, Work work) throws IOException, InterruptedException {
    RequestCounts before = bucket.gateway().counts();
    bucket.gateway().latency(latency(options.addedMillis(latencyMillis)));
    try {
      work.run();
    } finally {
      bucket.gateway().latency(Latency.NONE);
    }
    return bucket.gateway().counts().minus(before);
  }

  private Latency latency(int millis) {
    return millis == 0
        ? Latency.NONE
        : Latency.NONE
            .withPerRequest(Duration.ofMillis(millis))
            .withCopyRate(options.copyRate() * MEGABYTE)
            .withUploadRate(options.uploadRate() * MEGABYTE);
  }

  /** What is in it, to read and to clear without being counted or slowed down. */
  BucketContents contents() {
    return bucket.contents();
  }

  /** The URI of something in it, for S3A. */
  String location(String key) {
    return bucket.location(key);
  }

  /** How processes reach it. */
  S3Access access() {
    return bucket.access();
  }

  @Override
  public void close() throws IOException {
    end.accept(bucket.gateway().counts());
    bucket.close();
  }
}
