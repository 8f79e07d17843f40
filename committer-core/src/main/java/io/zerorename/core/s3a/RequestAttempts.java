package io.zerorename.core.s3a;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.metrics.CoreMetric;
import software.amazon.awssdk.http.HttpMetric;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;

/**
 * Counts how often the SDK has sent one request, by the metrics that it publishes before it returns
 * the answer. {@link InstrumentedClient} adds it to the request's failure.
 */
final class RequestAttempts extends Exception implements MetricPublisher {
  private static final long serialVersionUID = 1L;

  /** The SDK's name for the metrics of one attempt. */
  private static final String ATTEMPT = "ApiCallAttempt";

  /** The value of {@link CoreMetric#ERROR_TYPE} for SlowDown, 429 and the like. */
  private static final String THROTTLING = "Throttling";

  private int total;
  private int throttled;
  private int refused;
  private int effective;
  private boolean isLastRefused;

  RequestAttempts() {
    super(null, null, false, false);
  }

  @Override
  public void publish(MetricCollection call) {
    call.childrenWithName(ATTEMPT).forEach(this::add);
  }

  private void add(MetricCollection attempt) {
    total++;
    List<Integer> statuses = attempt.metricValues(HttpMetric.HTTP_STATUS_CODE);
    boolean throttles = attempt.metricValues(CoreMetric.ERROR_TYPE).contains(THROTTLING);
    // An answer of status 200 may hold the same, which S3 gives to a Complete that fails late.
    boolean refuses = throttles && statuses.stream().allMatch(status -> status >= 400);
    throttled += throttles ? 1 : 0;
    refused += refuses ? 1 : 0;
    isLastRefused = refuses || statuses.stream().anyMatch(it -> it >= 400 && it < 500);
    effective += isLastRefused ? 0 : 1;
  }

  @Override
  public void close() {}

  /** Answers that asked for fewer requests. */
  int throttled() {
    return throttled;
  }

  /**
   * Whether every attempt of a request was refused by an answer that asks for fewer: an earlier one
   * that was lost may have had its effect.
   */
  static boolean wereAllRefused(AwsServiceException last) {
    return of(last).filter(it -> it.total > 0 && it.total == it.refused).isPresent();
  }

  /**
   * Whether the store may have worked on an earlier attempt of a request, of which the last one was
   * answered.
   */
  static boolean mayEarlierCount(AwsServiceException last) {
    return of(last).filter(it -> it.effective > (it.isLastRefused ? 0 : 1)).isPresent();
  }

  private static Optional<RequestAttempts> of(AwsServiceException last) {
    return Stream.of(last.getSuppressed())
        .filter(RequestAttempts.class::isInstance)
        .map(RequestAttempts.class::cast)
        .findFirst();
  }

  @Override
  public String getMessage() {
    return throttled + " of " + total + " attempts were answered with a request to slow down";
  }
}
