package io.zerorename.testing.s3server;

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

  public Latency withPerRequest(Duration delay) {
    return new Latency(delay, copyBytesPerSecond, uploadBytesPerSecond);
  }

  public Latency withCopyRate(long bytesPerSecond) {
    return new Latency(perRequest, OptionalLong.of(bytesPerSecond), uploadBytesPerSecond);
  }

  public Latency withUploadRate(long bytesPerSecond) {
    return new Latency(perRequest, copyBytesPerSecond, OptionalLong.of(bytesPerSecond));
  }
}
