package io.zerorename.core.s3a;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.http.SdkHttpResponse;

/** A store's clock, to the second, by the {@code Date} of its latest answer. */
final class StoreClock {
  private volatile Duration ahead = Duration.ZERO;

  /** Takes the time from an answer that has just come. */
  void observe(SdkResponse answer) {
    observe(answer.sdkHttpResponse());
  }

  /** Takes the time from an answer that says that a request has failed. */
  void observe(AwsServiceException answer) {
    if (answer.awsErrorDetails() != null && answer.awsErrorDetails().sdkHttpResponse() != null) {
      observe(answer.awsErrorDetails().sdkHttpResponse());
    }
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
                // A proxy may write what it likes; the deadline is then kept by this host's clock.
                ahead = Duration.ZERO;
              }
            });
  }

  Instant now() {
    return Instant.now().plus(ahead);
  }
}
