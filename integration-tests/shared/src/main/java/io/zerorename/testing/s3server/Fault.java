package io.zerorename.testing.s3server;

import java.time.Duration;

/** What a gateway does to a request instead of merely forwarding it. */
public sealed interface Fault {

  /** Answers as S3 would when it refuses, without forwarding. */
  record Refuse(int status, String code, String message) implements Fault {}

  /**
   * Closes the client's connection; the server never sees the request.
   *
   * @param reset closes as a host or a firewall does that forgot the connection
   */
  record CutBeforeForwarding(boolean reset) implements Fault {}

  /** What befalls the answer, when the server has done its work. */
  sealed interface OfAnswer extends Fault {}

  /** Sends some bytes of the answer, then closes or resets the client's connection. */
  record CutAnswer(long afterBytes, boolean reset) implements OfAnswer {}

  /** Keeps the answer to itself and the connection open until the client closes it. */
  record SwallowAnswer() implements OfAnswer {}

  /**
   * Sends the answer, and once more when the client next sends something over this connection. All
   * later answers are thus late by one.
   */
  record RepeatAnswer() implements OfAnswer {}

  /** Runs something while the client still waits, then closes its connection without an answer. */
  record RunInsteadOfAnswer(Runnable action) implements OfAnswer {}

  /** Runs something while the client still waits, then answers. */
  record RunBeforeAnswer(Runnable action) implements OfAnswer {}

  /** Waits, then forwards; a client with a shorter timeout sees a request that never ends. */
  record Delay(Duration duration) implements Fault {}

  static Fault refuse(int status, String code) {
    return new Refuse(status, code, "refused by the test gateway");
  }

  static Fault accessDenied() {
    return new Refuse(403, "AccessDenied", "Access Denied");
  }

  static Fault slowDown() {
    return new Refuse(503, "SlowDown", "Please reduce your request rate.");
  }

  static Fault cutBeforeForwarding() {
    return new CutBeforeForwarding(false);
  }

  static Fault loseAnswer() {
    return new CutAnswer(0, false);
  }

  static Fault runInsteadOfAnswer(Runnable action) {
    return new RunInsteadOfAnswer(action);
  }

  static Fault delay(Duration duration) {
    return new Delay(duration);
  }
}
