package io.zerorename.core.s3a;

import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import java.util.List;
import java.util.function.Function;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.metrics.MetricPublisher;
import software.amazon.awssdk.services.s3.DelegatingS3Client;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.S3Request;

/**
 * S3A's client, which repeats requests up to {@code fs.s3a.attempts.maximum} times and returns only
 * the outcome of the last attempt; this one counts the attempts.
 *
 * <p>It reads the metrics that the SDK collects for each request, and hands them on to S3A's own
 * statistics, which would not get them otherwise.
 */
final class InstrumentedClient extends DelegatingS3Client {
  private final List<MetricPublisher> publishers;
  private final StoreClock clock;

  /**
   * @param clock that learns from answers
   */
  InstrumentedClient(S3Client client, StoreClock clock) {
    super(client);
    this.clock = clock;
    this.publishers =
        client.serviceClientConfiguration().overrideConfiguration().metricPublishers();
  }

  @Override
  protected <T extends S3Request, R> R invokeOperation(T request, Function<T, R> operation) {
    RequestAttempts attempts = new RequestAttempts();
    try {
      R result = operation.apply(watched(request, attempts));
      // S3 sends the head of an answer to a Complete when that begins, and the rest minutes later.
      if (result instanceof SdkResponse answer
          && !(answer instanceof CompleteMultipartUploadResponse)) {
        clock.observe(answer.sdkHttpResponse());
      }
      return result;
    } catch (AwsServiceException e) {
      if (e.awsErrorDetails() != null && e.awsErrorDetails().sdkHttpResponse() != null) {
        clock.observe(e.awsErrorDetails().sdkHttpResponse());
      }
      e.addSuppressed(attempts);
      throw e;
    } finally {
      CommitterMetrics.add(Metric.THROTTLED, attempts.throttled());
    }
  }

  @SuppressWarnings("unchecked")
  private <T extends S3Request> T watched(T request, RequestAttempts attempts) {
    AwsRequestOverrideConfiguration.Builder configuration =
        request
            .overrideConfiguration()
            .map(AwsRequestOverrideConfiguration::toBuilder)
            .orElseGet(AwsRequestOverrideConfiguration::builder);
    publishers.forEach(configuration::addMetricPublisher);
    configuration.addMetricPublisher(attempts);
    S3Request.Builder builder = request.toBuilder();
    builder.overrideConfiguration(configuration.build());
    return (T) builder.build();
  }
}
