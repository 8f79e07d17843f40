package io.zerorename.testing.net;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/** What a {@link LossyProxy} does to one exchange. */
public sealed interface Mishap {

  /** Closes the connection; the server sees no byte of the exchange. */
  record Drop() implements Mishap {}

  /** The same by a reset, as from a host or a firewall that forgot the connection. */
  record Reset() implements Mishap {}

  /**
   * Waits before it forwards the first byte. The server gets the request also where the client has
   * given up meanwhile.
   */
  record Delay(Duration time) implements Mishap {
    public Delay {
      requireNonNull(time, "time");
    }
  }

  /** Forwards some bytes of the answer, then closes the connection. */
  record CutAnswer(long afterBytes) implements Mishap {
    public CutAnswer {
      requireNotNegative(afterBytes);
    }
  }

  /** Forwards some bytes of the answer, then resets the connection. */
  record ResetAnswer(long afterBytes) implements Mishap {
    public ResetAnswer {
      requireNotNegative(afterBytes);
    }
  }

  /** Keeps the whole answer to itself and the connection open. */
  record SwallowAnswer() implements Mishap {}

  /**
   * Forwards the answer, and once more when the client next sends something over this connection,
   * before what the server answers to that. All later answers are thus late by one.
   */
  record RepeatAnswer() implements Mishap {}

  private static void requireNotNegative(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes before a cut are negative: " + bytes);
    }
  }
}
