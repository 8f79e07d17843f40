package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class S3PricesTest {
  @Test
  void requestsCostWhatTheListSays() {
    assertThat(
            S3Prices.LISTED.dollars(
                Map.of(
                    "PutObject", 1_000L,
                    "CompleteMultipartUpload", 2_000L,
                    "ListObjectsV2", 1_000L,
                    "HeadObject", 10_000L,
                    "Other", 1_000L,
                    "DeleteObjects", 5_000L)))
        .isCloseTo(4 * 0.005 + 11 * 0.0004, within(1e-12));
  }
}
