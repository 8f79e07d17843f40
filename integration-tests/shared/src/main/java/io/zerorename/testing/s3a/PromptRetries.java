package io.zerorename.testing.s3a;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.s3a.DefaultS3ClientFactory;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.retry.RetryPolicy;
import software.amazon.awssdk.core.retry.backoff.EqualJitterBackoffStrategy;

/**
 * Makes S3A's own client, which repeats what it always repeats, and as often, but after shorter
 * pauses: 1.5 s on average go by before the SDK has sent a PUT with a deadline in the past for the
 * sixth time, which the first job at each commit directory does.
 */
public final class PromptRetries extends DefaultS3ClientFactory {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(4);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(20);

  // Of the SDK's ways to set pauses, the one that all of Hadoop's versions of it have.
  @Override
  @SuppressWarnings("deprecation")
  protected ClientOverrideConfiguration.Builder createClientOverrideConfiguration(
      S3ClientCreationParameters parameters, Configuration conf) throws IOException {
    ClientOverrideConfiguration.Builder builder =
        super.createClientOverrideConfiguration(parameters, conf);
    RetryPolicy theirs = builder.retryPolicy();
    return builder.retryPolicy(
        theirs.toBuilder()
            .backoffStrategy(
                EqualJitterBackoffStrategy.builder()
                    .baseDelay(FIRST_PAUSE)
                    .maxBackoffTime(LONGEST_PAUSE)
                    .build())
            .build());
  }
}
