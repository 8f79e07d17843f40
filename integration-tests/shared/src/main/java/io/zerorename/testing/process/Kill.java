package io.zerorename.testing.process;

import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Kills a process at a request of its own: before the server sees it, or when the server has done
 * its work and the process does not know.
 *
 * @param type of the requests that count; empty: any
 * @param place what the request's key, or the prefix of its listing, contains
 * @param nth counted from 1 among such requests
 */
public record Kill(Side side, Optional<RequestType> type, String place, int nth) {
  /** At the n-th request of a type, wherever it goes. */
  public Kill(Side side, RequestType type, int nth) {
    this(side, type, "", nth);
  }

  /** At the n-th request of a type to a place. */
  public Kill(Side side, RequestType type, String place, int nth) {
    this(side, Optional.of(type), place, nth);
  }

  /** Whether the server still gets the request. */
  public enum Side {
    BEFORE,
    AFTER
  }

  /** The rule for the gateway through which the process goes. */
  public FaultRule of(ChildJvm process) {
    return by(() -> kill(process));
  }

  /**
   * The same for a process that is killed in another way.
   *
   * @param kill returns when it is gone
   */
  public FaultRule by(Runnable kill) {
    AtomicInteger seen = new AtomicInteger();
    return request -> isDue(request, seen) ? Optional.of(fault(kill)) : Optional.empty();
  }

  private boolean isDue(S3Request request, AtomicInteger seen) {
    return type.map(request.type()::equals).orElse(true)
        && request.prefix().orElse(request.key()).contains(place)
        && seen.incrementAndGet() == nth;
  }

  private Fault fault(Runnable kill) {
    if (side == Side.AFTER) {
      return Fault.runInsteadOfAnswer(kill);
    }
    kill.run();
    return Fault.cutBeforeForwarding();
  }

  private static void kill(ChildJvm process) {
    try {
      process.kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the gateway was closed while a process was killed", e);
    }
  }

  @Override
  public String toString() {
    return "%s %s %d%s"
        .formatted(
            side.name().toLowerCase(Locale.ROOT),
            type.map(RequestType::toString).orElse("request"),
            nth,
            place.isEmpty() ? "" : " of " + place);
  }
}
