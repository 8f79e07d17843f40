package io.zerorename.testing.s3server;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Decides for each request whether it goes wrong, and how. Asked once per request as it arrives,
 * from many threads at once.
 */
@FunctionalInterface
public interface FaultRule {

  /** Nothing goes wrong. */
  FaultRule NONE = request -> Optional.empty();

  Optional<Fault> on(S3Request request);

  /** Every matching request goes wrong. */
  static FaultRule always(Predicate<S3Request> which, Fault fault) {
    return request -> which.test(request) ? Optional.of(fault) : Optional.empty();
  }

  /** The first matching requests go wrong, later ones do not. */
  static FaultRule first(int times, Predicate<S3Request> which, Fault fault) {
    AtomicInteger seen = new AtomicInteger();
    return request ->
        which.test(request) && seen.incrementAndGet() <= times
            ? Optional.of(fault)
            : Optional.empty();
  }

  /** All matching requests from the n-th on go wrong, counted from 1. */
  static FaultRule fromNth(int n, Predicate<S3Request> which, Fault fault) {
    AtomicInteger seen = new AtomicInteger();
    return request ->
        which.test(request) && seen.incrementAndGet() >= n ? Optional.of(fault) : Optional.empty();
  }

  /** Exactly the n-th matching request goes wrong, counted from 1. */
  static FaultRule nth(int n, Predicate<S3Request> which, Fault fault) {
    AtomicInteger seen = new AtomicInteger();
    return request ->
        which.test(request) && seen.incrementAndGet() == n ? Optional.of(fault) : Optional.empty();
  }

  /** This rule for requests that come after the n-th matching one, which it does not see. */
  default FaultRule afterNth(int n, Predicate<S3Request> which) {
    AtomicInteger seen = new AtomicInteger();
    return request -> {
      if (seen.get() >= n) {
        return on(request);
      }
      if (which.test(request)) {
        seen.incrementAndGet();
      }
      return Optional.empty();
    };
  }

  /** This rule where it has a fault, else the other. */
  default FaultRule or(FaultRule other) {
    return request -> on(request).or(() -> other.on(request));
  }

  /** Selects requests of one type. */
  static Predicate<S3Request> type(RequestType type) {
    return request -> request.type() == type;
  }

  /** Selects requests of one type whose key starts with a prefix. */
  static Predicate<S3Request> typeUnder(RequestType type, String keyPrefix) {
    return request -> request.type() == type && request.key().startsWith(keyPrefix);
  }
}
