package io.zerorename.benchmark;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Latency;
import io.zerorename.testing.s3server.RequestCounts;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** An S3 server with one bucket that is slow, and counts, while something is measured. */
final class SlowServer implements Closeable {
  static final String BUCKET = "benchmark";
  private static final long MEGABYTE = 1_000_000;

  private final BenchmarkOptions options;
  private final EmbeddedS3Server server;
  private final BucketContents bucket;

  private SlowServer(BenchmarkOptions options, EmbeddedS3Server server) {
    this.options = options;
    this.server = server;
    this.bucket = server.createBucket(BUCKET);
  }

  static SlowServer start(BenchmarkOptions options, Path directory) throws IOException {
    return new SlowServer(options, EmbeddedS3Server.startIn(directory));
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
    RequestCounts before = server.gateway().counts();
    server.gateway().latency(latency(latencyMillis));
    try {
      work.run();
    } finally {
      server.gateway().latency(Latency.NONE);
    }
    return server.gateway().counts().minus(before);
  }

  private Latency latency(int millis) {
    return millis == 0
        ? Latency.NONE
        : Latency.NONE
            .withPerRequest(Duration.ofMillis(millis))
            .withCopyRate(options.copyRate() * MEGABYTE)
            .withUploadRate(options.uploadRate() * MEGABYTE);
  }

  EmbeddedS3Server server() {
    return server;
  }

  /** The bucket, to read and to clear without being counted or slowed down. */
  BucketContents bucket() {
    return bucket;
  }

  Map<String, String> hadoopSettings() {
    return server.hadoopSettings();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
