package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;

/**
 * How a job commit works.
 *
 * @param threads requests in flight at most
 * @param attempts how often a request with an ambiguous answer is sent at most
 * @param firstDelay before the second attempt; each further one waits twice as long
 */
public record CommitSettings(int threads, int attempts, Duration firstDelay) {
  public CommitSettings {
    requireNonNull(firstDelay, "firstDelay");
    if (threads < 1 || attempts < 1 || firstDelay.isNegative()) {
      throw new IllegalArgumentException(
          "threads and attempts must be positive, the delay not negative: "
              + threads
              + ", "
              + attempts
              + ", "
              + firstDelay);
    }
  }

  /**
   * What the user has set.
   *
   * @throws io.zerorename.core.config.InvalidSettingException where a value is not allowed
   */
  public static CommitSettings from(Configuration configuration) {
    return ofThreads(CoreKeys.COMMIT_THREADS.from(configuration));
  }

  /** Settings with this many threads and 5 attempts over 3 seconds. */
  public static CommitSettings ofThreads(int threads) {
    return new CommitSettings(threads, 5, Duration.ofMillis(200));
  }
}
