package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;

/**
 * How a job commit works.
 *
 * @param threads requests in flight at most; fewer where the store asks for that
 * @param attempts how often a request with an ambiguous answer is sent at most
 * @param firstDelay before the second attempt, also of a throttled request; each further one waits
 *     twice as long
 * @param inlineLimit bytes of small files that a plan carries at most; those beyond are uploaded
 */
public record CommitSettings(int threads, int attempts, Duration firstDelay, long inlineLimit) {
  private static final long INLINE_LIMIT = 256L << 20;

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

  /** Settings with the default limit for small files. */
  public CommitSettings(int threads, int attempts, Duration firstDelay) {
    this(threads, attempts, firstDelay, INLINE_LIMIT);
  }

  /**
   * What the user has set for work on no bucket in particular.
   *
   * @throws io.zerorename.core.config.InvalidSettingException where a value is not allowed
   */
  public static CommitSettings from(Configuration configuration) {
    return of(
        CoreKeys.COMMIT_THREADS.from(configuration), CoreKeys.INLINE_JOB_BYTES.from(configuration));
  }

  /**
   * What the user has set for commits to a bucket.
   *
   * @throws io.zerorename.core.config.InvalidSettingException where a value is not allowed
   */
  public static CommitSettings from(Configuration configuration, String bucket) {
    return of(
        CoreKeys.COMMIT_THREADS.from(configuration, bucket),
        CoreKeys.INLINE_JOB_BYTES.from(configuration, bucket));
  }

  private static CommitSettings of(int threads, long inlineLimit) {
    CommitSettings settings = ofThreads(threads);
    return new CommitSettings(
        settings.threads(), settings.attempts(), settings.firstDelay(), inlineLimit);
  }

  /** Settings with this many threads and 5 attempts over 3 seconds. */
  public static CommitSettings ofThreads(int threads) {
    return new CommitSettings(threads, 5, Duration.ofMillis(200));
  }
}
