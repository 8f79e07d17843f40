package io.zerorename.core.s3a;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.SdkGlobalTime;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * A store's clock, to the second, by the {@code Date} of its latest answer. It is late by as long
 * as the process was paused between that answer and {@link #observe}, and never ahead: so nothing
 * is taken for older than it is. A span of time may seem shorter by it than it was.
 */
final class StoreClock {
  private static final Logger LOG = LoggerFactory.getLogger(StoreClock.class);

  /** Before the first answer as the SDK knows it, which signs by it once a store refused a time. */
  private volatile Duration ahead = Duration.ofSeconds(-SdkGlobalTime.getGlobalTimeOffset());

  /** Takes the time from an answer that has just come. */
  void observe(SdkHttpResponse answer) {
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

  Instant now() {
    return Instant.now().plus(ahead);
  }
}
