package io.zerorename.core.s3a;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.metrics.CoreMetric;
import software.amazon.awssdk.http.HttpMetric;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;
import software.amazon.awssdk.services.s3.DelegatingS3Client;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Request;

/**
 * S3A's client, which repeats requests up to {@code fs.s3a.attempts.maximum} times and returns only
 * the outcome of the last attempt; this one counts the attempts.
 *
 * <p>It reads the metrics that the SDK collects for each request, and hands them on to S3A's own
 * statistics, which would not get them otherwise.
 */
final class InstrumentedClient extends DelegatingS3Client {
  /** The SDK's name for the metrics of one attempt. */
  static final String ATTEMPT = "ApiCallAttempt";

  /** The value of {@link CoreMetric#ERROR_TYPE} for SlowDown, 429 and the like. */
  private static final String THROTTLING = "Throttling";

  private final List<MetricPublisher> publishers;
  private final LongAdder throttled = new LongAdder();

  InstrumentedClient(S3Client client) {
    super(requireNonNull(client, "client"));
    this.publishers =
        client.serviceClientConfiguration().overrideConfiguration().metricPublishers();
  }

  /** How many answers, to all requests together, have asked for fewer requests. */
  long throttledAnswers() {
    return throttled.sum();
  }

  /**
   * Whether every attempt of a request was refused by an answer that asks for fewer: an earlier one
   * that was lost may have had its effect.
   */
  static boolean everyAttemptWasThrottled(AwsServiceException last) {
    return attemptsOf(last).filter(it -> it.total > 0 && it.total == it.refused).isPresent();
  }

  /**
   * Whether the store may have worked on an earlier attempt of a request, of which the last one was
   * answered.
   */
  static boolean anEarlierAttemptMayCount(AwsServiceException last) {
    return attemptsOf(last).filter(it -> it.total - it.refused > 1).isPresent();
  }

  private static Optional<Attempts> attemptsOf(AwsServiceException last) {
    return Stream.of(last.getSuppressed())
        .filter(Attempts.class::isInstance)
        .map(Attempts.class::cast)
        .findFirst();
  }

  private static boolean isThrottled(MetricCollection attempt) {
    return attempt.metricValues(CoreMetric.ERROR_TYPE).contains(THROTTLING);
  }

  /**
   * Whether an attempt surely had no effect, because the store asked for fewer requests. The same
   * may stand in an answer of status 200, which S3 gives to a Complete that fails late.
   */
  static boolean isRefusal(MetricCollection attempt) {
    return isThrottled(attempt)
        && attempt.metricValues(HttpMetric.HTTP_STATUS_CODE).stream()
            .allMatch(status -> status >= 400);
  }

  @Override
  protected <T extends S3Request, R> R invokeOperation(T request, Function<T, R> operation) {
    Attempts attempts = new Attempts();
    try {
      return operation.apply(watched(request, attempts));
    } catch (AwsServiceException e) {
      e.addSuppressed(attempts);
      throw e;
    } finally {
      throttled.add(attempts.throttled);
      CommitterMetrics.add(Metric.THROTTLED, attempts.throttled);
    }
  }

  @SuppressWarnings("unchecked")
  private <T extends S3Request> T watched(T request, Attempts attempts) {
    AwsRequestOverrideConfiguration.Builder configuration =
        request
            .overrideConfiguration()
            .map(AwsRequestOverrideConfiguration::toBuilder)
            .orElseGet(AwsRequestOverrideConfiguration::builder);
    List<MetricPublisher> all = new ArrayList<>(publishers);
    all.addAll(
        request
            .overrideConfiguration()
            .map(AwsRequestOverrideConfiguration::metricPublishers)
            .orElseGet(List::of));
    all.add(attempts);
    S3Request.Builder builder = request.toBuilder();
    builder.overrideConfiguration(configuration.metricPublishers(all).build());
    return (T) builder.build();
  }

  /** The attempts of one request; suppressed in its failure, for {@link S3AFailures}. */
  private static final class Attempts extends Exception implements MetricPublisher {
    private static final long serialVersionUID = 1L;

    private int total;
    private int throttled;
    private int refused;

    Attempts() {
      super(null, null, false, false);
    }

    @Override
    public void publish(MetricCollection call) {
      call.childrenWithName(ATTEMPT)
          .forEach(
              attempt -> {
                total++;
                if (isThrottled(attempt)) {
                  throttled++;
                }
                if (isRefusal(attempt)) {
                  refused++;
                }
              });
    }

    @Override
    public void close() {}

    @Override
    public String getMessage() {
      return throttled + " of " + total + " attempts were answered with a request to slow down";
    }
  }
}
