package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.zerorename.testing.s3server.RequestType;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class S3PricesTest {
  @ParameterizedTest
  @EnumSource(RequestType.class)
  void aThousandOfEachTypeCostWhatTheListSays(RequestType type) throws Exception {
    double expected =
        switch (type) {
          case CREATE_MULTIPART_UPLOAD,
              UPLOAD_PART,
              UPLOAD_PART_COPY,
              COMPLETE_MULTIPART_UPLOAD,
              PUT_OBJECT,
              COPY_OBJECT,
              LIST_OBJECTS,
              LIST_OBJECTS_V2,
              LIST_MULTIPART_UPLOADS,
              LIST_PARTS ->
              0.005;
          case DELETE_OBJECT, DELETE_OBJECTS, ABORT_MULTIPART_UPLOAD -> 0;
          case GET_OBJECT, HEAD_OBJECT, HEAD_BUCKET, GET_BUCKET_LIFECYCLE, OTHER -> 0.0004;
        };

    assertThat(S3Prices.load().dollars(Map.of(type.apiName(), 1000L)))
        .isCloseTo(expected, within(1e-12));
  }

  @Test
  void theTableIsDated() throws Exception {
    assertThat(S3Prices.load().date()).matches("\\d{4}-\\d{2}-\\d{2}");
    assertThat(S3Prices.load().region()).isEqualTo("us-east-1");
  }
}
