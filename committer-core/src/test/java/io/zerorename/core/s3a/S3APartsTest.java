package io.zerorename.core.s3a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** How parts are listed where the store answers by pages; the embedded one does not. */
class S3APartsTest {
  @Test
  void theNextPageBeginsWhereTheStoreSaysThatThePreviousEnded() throws IOException {
    Pages store =
        query ->
            query.contains("part-number-marker=2")
                ? page(part(7, 1), false, "")
                : page(part(1, 5 << 20) + part(2, 5 << 20), true, "2");
    assertThat(store.parts())
        .containsExactly(
            new UploadedPart(1, "\"e1\"", 5 << 20),
            new UploadedPart(2, "\"e2\"", 5 << 20),
            new UploadedPart(7, "\"e7\"", 1));
  }

  @Test
  void aListingThatDoesNotSayWhereItGoesOnFails() {
    Pages store = query -> page(part(1, 1), true, "");
    assertThatThrownBy(store::parts)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REJECTED))
        .hasMessageContaining("ListParts of s3a://bucket/k");
  }

  private static String part(int number, long size) {
    return "<Part><PartNumber>"
        + number
        + "</PartNumber><ETag>&quot;e"
        + number
        + "&quot;</ETag><Size>"
        + size
        + "</Size></Part>";
  }

  private static String page(String parts, boolean truncated, String next) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListPartsResult>"
        + (next.isEmpty() ? "" : "<NextPartNumberMarker>" + next + "</NextPartNumberMarker>")
        + "<IsTruncated>"
        + truncated
        + "</IsTruncated>"
        + parts
        + "</ListPartsResult>";
  }

  @FunctionalInterface
  private interface Pages extends UnaryOperator<String> {
    default List<UploadedPart> parts() throws IOException {
      try (CannedS3 server = new CannedS3(200, this);
          TestStores stores = TestStores.with(server.hadoopSettings(), Map.of())) {
        return stores.of("bucket").listParts("k", "id");
      }
    }
  }
}
