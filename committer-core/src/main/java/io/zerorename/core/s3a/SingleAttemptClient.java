package io.zerorename.core.s3a;

import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkGlobalTime;
import software.amazon.awssdk.core.SdkPlugin;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.core.retry.RetryPolicy;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.DelegatingS3Client;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.S3Request;

/**
 * S3A's client, which sends each request once here. By itself it repeats one up to {@code
 * fs.s3a.attempts.maximum} times and tells only of the last answer, which says nothing of what an
 * earlier copy has done.
 */
final class SingleAttemptClient extends DelegatingS3Client {
  // What replaces the policy in newer releases of the SDK is not in 2.24.6.
  @SuppressWarnings("deprecation")
  private static final SdkPlugin ONCE =
      client -> client.overrideConfiguration(it -> it.retryPolicy(RetryPolicy.none()));

  private static final Logger LOG = LoggerFactory.getLogger(SingleAttemptClient.class);

  /** Before the first answer as the SDK knows it, which signs by it once a store refused a time. */
  private volatile Duration ahead = Duration.ofSeconds(-SdkGlobalTime.getGlobalTimeOffset());

  SingleAttemptClient(S3Client client) {
    super(client);
  }

  /**
   * The store's clock, to the second, by the {@code Date} of its latest answer. It is late by as
   * long as the process was paused before it read that, and never ahead: so nothing is taken for
   * older than it is. A span of time may seem shorter by it than it was.
   */
  Instant now() {
    return Instant.now().plus(ahead);
  }

  private void observe(SdkHttpResponse answer) {
    answer
        .firstMatchingHeader("Date")
        .ifPresent(
            date -> {
              try {
                Instant there =
                    ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
                ahead = Duration.between(Instant.now(), there);
              } catch (DateTimeException e) {
                LOG.debug("\"{}\" is no time; what was known before is kept", date, e);
              }
            });
  }

  @Override
  protected <T extends S3Request, R> R invokeOperation(T request, Function<T, R> operation) {
    try {
      R result = operation.apply(once(request));
      // S3 sends the head of an answer to a Complete when that begins, and the rest minutes later.
      if (result instanceof SdkResponse answer
          && !(answer instanceof CompleteMultipartUploadResponse)) {
        observe(answer.sdkHttpResponse());
      }
      return result;
    } catch (AwsServiceException e) {
      if (e.awsErrorDetails() != null && e.awsErrorDetails().sdkHttpResponse() != null) {
        observe(e.awsErrorDetails().sdkHttpResponse());
      }
      if (e.isThrottlingException()) {
        CommitterMetrics.add(Metric.THROTTLED, 1);
      }
      throw e;
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends S3Request> T once(T request) {
    S3Request.Builder builder = request.toBuilder();
    builder.overrideConfiguration(
        request
            .overrideConfiguration()
            .map(AwsRequestOverrideConfiguration::toBuilder)
            .orElseGet(AwsRequestOverrideConfiguration::builder)
            .addPlugin(ONCE)
            .build());
    return (T) builder.build();
  }
}
