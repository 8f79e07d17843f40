package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Commits that a user of this class has lately tried to bring to their end, for seconds and in
 * vain, as where one of their buckets cannot be reached. Who does not depend on such a commit need
 * not wait for the same again. HiveServer2 may load the class once per session.
 */
final class VainRecoveries {
  /** What fails at once may be tried by everybody. */
  private static final Duration SLOW = Duration.ofSeconds(5);

  private static final Duration PAUSE = Duration.ofMinutes(1);

  /** Against a server that runs for months. */
  private static final int REMEMBERED = 1000;

  private static final VainRecoveries OF_PROCESS = new VainRecoveries(System::nanoTime);

  private final Map<String, Failure> failures = new ConcurrentHashMap<>();
  private final LongSupplier nanos;

  /**
   * @param nanos a clock
   */
  VainRecoveries(LongSupplier nanos) {
    this.nanos = requireNonNull(nanos, "nanos");
  }

  static VainRecoveries ofProcess() {
    return OF_PROCESS;
  }

  private record Failure(Recovered.Failed result, long ended) {}

  /**
   * Recovers a commit, unless it has failed a moment ago.
   *
   * @param key of the commit and of the user who tries
   * @return what came of it, now or then
   */
  Optional<Recovered> recover(String key, Supplier<Optional<Recovered>> recovery) {
    Failure lately = failures.get(key);
    long begun = nanos.getAsLong();
    if (lately != null && begun - lately.ended() < PAUSE.toNanos()) {
      return Optional.of(lately.result());
    }
    Optional<Recovered> result = recovery.get();
    failures.remove(key);
    long ended = nanos.getAsLong();
    if (ended - begun >= SLOW.toNanos()
        && result.isPresent()
        && result.get() instanceof Recovered.Failed failed) {
      if (failures.size() >= REMEMBERED) {
        failures.clear();
      }
      failures.put(key, new Failure(failed, ended));
    }
    return result;
  }
}
