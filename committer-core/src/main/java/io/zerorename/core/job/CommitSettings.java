package io.zerorename.core.job;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.parallel.Workers;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;

/**
 * How a job commit works.
 *
 * @param threads requests in flight at most
 * @param processThreads of all jobs of the process together, beside one of each
 * @param settling how long the store may be at work on a Complete
 * @param clock how to wait for other processes, and for Completes in progress
 */
public record CommitSettings(int threads, int processThreads, Duration settling, Clock clock) {
  /** S3 may work for minutes on a Complete, in which there is neither upload nor object. */
  private static final Duration LONGEST_COMPLETE = Duration.ofMinutes(5);

  /**
   * What the user has set for work on no bucket in particular.
   *
   * @throws io.zerorename.core.config.InvalidSettingException where a value is not allowed
   */
  public static CommitSettings from(Configuration configuration) {
    return of(CoreKeys.COMMIT_THREADS.from(configuration), configuration);
  }

  /** The same for commits to a bucket. */
  public static CommitSettings from(Configuration configuration, String bucket) {
    return of(CoreKeys.COMMIT_THREADS.from(configuration, bucket), configuration);
  }

  private static CommitSettings of(int threads, Configuration configuration) {
    int ofProcess = CoreKeys.PROCESS_THREADS.from(configuration);
    // One that fails late is repeated by the process that has sent it.
    Duration settling = LONGEST_COMPLETE.plusSeconds(CoreKeys.RETRY_TIME.from(configuration));
    return new CommitSettings(threads, ofProcess, settling, Clock::sleep);
  }

  /** Workers with these threads, as far as the process has them. */
  public Workers workers() {
    return new Workers(threads, processThreads);
  }
}
