package io.zerorename.core.store;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Tries whether a store refuses a PUT whose deadline has passed, and takes one before. */
public final class PutDeadlines {
  /**
   * The write lease of an entry: so long its executor may PUT small files. The end of the lease is
   * the deadline of each of these requests: the store refuses them afterwards, because they are
   * signed for it. Short, because after a crash an overwrite waits for its end.
   */
  public static final Duration WRITE_LEASE = Duration.ofSeconds(90);

  /** How far a store may deviate from a deadline. */
  public static final Duration ACCURACY = Duration.ofSeconds(30);

  /** How long after its deadline a PUT has ended that the store began to accept before it. */
  public static final Duration SETTLED = ACCURACY.plusSeconds(60);

  /**
   * How long a store takes a signature for valid (<a
   * href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html">
   * Authenticating Requests</a>), and its deadline. No bound of clocks: the SDK corrects its own.
   */
  public static final Duration SIGNATURE = Duration.ofMinutes(15);

  /**
   * How long after it was signed a PUT may take effect: until its deadline, and until it is surely
   * over then. No write lease is longer, because its requests are signed for its end.
   */
  public static final Duration LONGEST = SIGNATURE.plus(SETTLED);

  private final ObjectStore store;
  private final String early;
  private final String late;

  /**
   * @param key under which nothing is; the keys that are written start with it
   */
  public PutDeadlines(ObjectStore store, String key) {
    this.store = requireNonNull(store, "store");
    this.early = key + "-early";
    this.late = key + "-late";
  }

  /** The key of the PUT that comes in time. */
  public String early() {
    return early;
  }

  /** The key of the PUT that comes late; there is no such object where deadlines are kept. */
  public String late() {
    return late;
  }

  /**
   * Two requests, of which the SDK repeats the late one as often as fs.s3a.attempts.maximum says.
   *
   * @return why the store cannot be trusted with deadlines; empty where it can
   */
  public Optional<String> reasonAgainst() throws IOException {
    if (!store.datesSignatures()) {
      return Optional.of("requests are signed in a way of their own, without a deadline.");
    }
    try {
      put(early, store.now().plus(WRITE_LEASE));
    } catch (StoreException e) {
      return switch (e.kind()) {
        case EXPIRED, ACCESS_DENIED, NO_CREDENTIALS, REJECTED ->
            Optional.of("it takes no PUT with a deadline: " + e.getMessage());
        default -> throw e;
      };
    }
    try {
      put(late, store.now().minus(ACCURACY));
    } catch (StoreException e) {
      return switch (e.kind()) {
        case EXPIRED -> Optional.empty();
        case ACCESS_DENIED, NO_CREDENTIALS, REJECTED ->
            Optional.of(
                "it refuses a PUT that comes too late for another reason: " + e.getMessage());
        default -> throw e;
      };
    }
    return Optional.of(
        "it takes PUTs whose signature is too old, so that one that comes late could bring a file"
            + " back.");
  }

  private void put(String key, Instant deadline) throws IOException {
    store.putObjectIfAbsent(key, RepeatableBody.of(new byte[0]), Map.of(), deadline);
  }
}
