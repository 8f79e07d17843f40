package io.zerorename.testing.s3server;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * How slow a gateway makes its server look.
 *
 * @param perRequest added to every request before it is forwarded
 * @param copyBytesPerSecond how fast the server copies an object by itself; empty for unbounded
 * @param uploadBytesPerSecond how fast one connection sends a body; empty for unbounded
 */
public record Latency(
    Duration perRequest, OptionalLong copyBytesPerSecond, OptionalLong uploadBytesPerSecond) {

  /** Adds nothing. */
  public static final Latency NONE =
      new Latency(Duration.ZERO, OptionalLong.empty(), OptionalLong.empty());

  public Latency {
    requireNonNull(perRequest, "perRequest");
    if (perRequest.isNegative()) {
      throw new IllegalArgumentException("delay per request is negative: " + perRequest);
    }
    requirePositive(copyBytesPerSecond, "copy rate");
    requirePositive(uploadBytesPerSecond, "upload rate");
  }

  public Latency withPerRequest(Duration delay) {
    return new Latency(delay, copyBytesPerSecond, uploadBytesPerSecond);
  }

  public Latency withCopyRate(long bytesPerSecond) {
    return new Latency(perRequest, OptionalLong.of(bytesPerSecond), uploadBytesPerSecond);
  }

  public Latency withUploadRate(long bytesPerSecond) {
    return new Latency(perRequest, copyBytesPerSecond, OptionalLong.of(bytesPerSecond));
  }

  private static void requirePositive(OptionalLong rate, String name) {
    if (rate.isPresent() && rate.getAsLong() <= 0) {
      throw new IllegalArgumentException(
          name + " must be positive, in bytes per second, but is " + rate.getAsLong());
    }
  }
}
