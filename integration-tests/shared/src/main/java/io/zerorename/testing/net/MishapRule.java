package io.zerorename.testing.net;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Decides what befalls an exchange. Asked once per exchange when its first bytes arrive, from many
 * threads at once.
 */
@FunctionalInterface
public interface MishapRule {

  /** Everything passes. */
  MishapRule NONE = exchange -> Optional.empty();

  /**
   * What a client sends until the server answers, and that answer.
   *
   * @param connection counts the proxy's connections from 1
   * @param number counts the exchanges of the connection from 1
   * @param firstBytes what arrived first, as ISO 8859-1
   */
  record Exchange(int connection, int number, String firstBytes) {}

  Optional<Mishap> on(Exchange exchange);

  static MishapRule always(Predicate<Exchange> which, Mishap mishap) {
    return exchange -> which.test(exchange) ? Optional.of(mishap) : Optional.empty();
  }

  /** Strikes the first matching exchanges. */
  static MishapRule first(int times, Predicate<Exchange> which, Mishap mishap) {
    AtomicInteger seen = new AtomicInteger();
    return always(exchange -> which.test(exchange) && seen.incrementAndGet() <= times, mishap);
  }

  /** Strikes the n-th matching exchange, counted from 1. */
  static MishapRule nth(int n, Predicate<Exchange> which, Mishap mishap) {
    AtomicInteger seen = new AtomicInteger();
    return always(exchange -> which.test(exchange) && seen.incrementAndGet() == n, mishap);
  }
}
