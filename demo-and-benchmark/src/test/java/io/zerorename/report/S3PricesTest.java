package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class S3PricesTest {
  @Test
  void requestsCostWhatTheListSays() throws Exception {
    assertThat(
            S3Prices.load()
                .dollars(
                    Map.of(
                        "PutObject", 1_000L,
                        "CompleteMultipartUpload", 2_000L,
                        "ListObjectsV2", 1_000L,
                        "HeadObject", 10_000L,
                        "Other", 1_000L,
                        "DeleteObjects", 5_000L)))
        .isCloseTo(4 * 0.005 + 11 * 0.0004, within(1e-12));
  }

  @Test
  void theTableIsDated() throws Exception {
    assertThat(S3Prices.load().date()).matches("\\d{4}-\\d{2}-\\d{2}");
    assertThat(S3Prices.load().region()).isEqualTo("us-east-1");
  }
}
