package io.zerorename.report;

import io.zerorename.testing.s3server.Latency;
import io.zerorename.testing.s3server.MeasuredBucket;
import io.zerorename.testing.s3server.RequestCounts;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A bucket that is slow, and counts, while something is measured.
 *
 * @param delayMillis added to each request; with 0 nothing is slowed down
 */
public record SlowServer(MeasuredBucket bucket, int delayMillis) {
  /** MB/s of a copy by the server, where there is a delay. */
  public static final int COPY_RATE = 100;

  /** MB/s of each connection that uploads, likewise. */
  public static final int UPLOAD_RATE = 85;

  private static final long MEGABYTE = 1_000_000;

  /** What is measured. */
  @FunctionalInterface
  public interface Work<T, E extends Exception> {
    /** Does it. */
    T run() throws E, IOException, InterruptedException;
  }

  /** What came out of work, how long it took, and the requests that it sent. */
  public record Measured<T>(T result, Duration wall, RequestCounts requests) {}

  /** Does something, and counts its requests; the server is fast before and after. */
  public <T, E extends Exception> Measured<T> measure(Work<T, E> work)
      throws E, IOException, InterruptedException {
    RequestCounts before = bucket.gateway().counts();
    bucket
        .gateway()
        .latency(
            delayMillis == 0
                ? Latency.NONE
                : Latency.NONE
                    .withPerRequest(Duration.ofMillis(delayMillis))
                    .withCopyRate(COPY_RATE * MEGABYTE)
                    .withUploadRate(UPLOAD_RATE * MEGABYTE));
    try {
      long start = System.nanoTime();
      T result = work.run();
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      return new Measured<>(result, wall, bucket.gateway().counts().minus(before));
    } finally {
      bucket.gateway().latency(Latency.NONE);
    }
  }

  /**
   * The sizes of all that readers take for data below a directory.
   *
   * @throws IOException if there are not so many files
   */
  public List<Long> dataFiles(String directory, int expected) throws IOException {
    Map<String, Long> objects = new TreeMap<>(bucket.contents().objects(directory + "/"));
    objects.keySet().removeIf(key -> !isData(key));
    if (objects.size() != expected) {
      throw new IOException(
          "%s has not %d files, but %s".formatted(directory, expected, objects.keySet()));
    }
    return List.copyOf(objects.values());
  }

  /** Whether readers take an object for data; directory markers end in a slash. */
  public static boolean isData(String key) {
    return !key.endsWith("/") && !key.contains("/_");
  }
}
