package io.zerorename.core.s3a;

import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each method of the seam costs, counted between the client and the server. */
class S3ARequestCountTest {
  private static final String BUCKET = "counted";
  private static EmbeddedS3Server server;
  private static BucketContents contents;
  private static TestStores stores;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(BUCKET);
    stores = TestStores.with(server.hadoopSettings(), S3AAuditTest.STRICT);
  }

  @AfterAll
  static void stop() throws IOException {
    stores.close();
    server.close();
  }

  @AfterEach
  void empty() {
    contents.clear("");
  }

  @FunctionalInterface
  private interface Work {
    void run() throws IOException;
  }

  /** The server refuses a Complete that does not name their checksums, as S3 does. */
  @ParameterizedTest
  @CsvSource({"NONE, true", "NONE, false", "SHA256, true", "SHA256, false", "CRC32C, false"})
  void anUploadIsCompletedWhateverChecksumsItsPartsHave(String algorithm, boolean generation)
      throws IOException {
    Map<String, String> settings =
        Map.of(
            "fs.s3a.create.checksum.algorithm",
            algorithm,
            "fs.s3a.checksum.generation",
            Boolean.toString(generation));
    try (TestStores checked = TestStores.with(server.hadoopSettings(), settings)) {
      ObjectStore store = checked.of(BUCKET);
      String uploadId = store.createUpload("k", Map.of());
      UploadedPart part = store.uploadPart("k", uploadId, 1, body("x"));
      // Hadoop knows the other setting since 3.4.3.
      assertThat(!part.checksums().isEmpty() || !generation).isTrue();
      store.completeUpload("k", uploadId, List.of(part));
      assertThat(contents.read("k")).asString().isEqualTo("x");
    }
  }

  @Test
  void aListingAsksForAPageWhenItsFirstEntryIsWanted() throws IOException {
    ObjectStore store = stores.of(BUCKET);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i <= ObjectStore.PAGE_SIZE; i++) {
      keys.add(String.format("page/%04d", i));
    }
    keys.parallelStream().forEach(key -> contents.write(key, new byte[0]));

    RemoteIterator<ObjectSummary> listing = store.listObjects("page/");
    assertThat(cost(() -> assertThat(listing.hasNext()).isTrue()))
        .isEqualTo(Map.of(LIST_OBJECTS_V2, 1L));
    assertThat(
            cost(
                () -> {
                  for (String key : keys.subList(0, ObjectStore.PAGE_SIZE)) {
                    assertThat(listing.next().key()).isEqualTo(key);
                  }
                }))
        .isEmpty();
    assertThat(cost(() -> assertThat(listing.next().key()).isEqualTo("page/1000")))
        .isEqualTo(Map.of(LIST_OBJECTS_V2, 1L));
    assertThat(cost(() -> assertThat(listing.hasNext()).isFalse())).isEmpty();

    assertThat(cost(() -> assertThat(store.deleteObjects(keys)).isEmpty()))
        .isEqualTo(Map.of(DELETE_OBJECTS, 2L));
    assertThat(contents.objects("")).isEmpty();
  }

  @Test
  void aBulkDeleteIsNoLargerThanTheUserWantsAndEndsWithItsComparison() throws IOException {
    try (TestStores small =
        TestStores.with(server.hadoopSettings(), Map.of("fs.s3a.bulk.delete.page.size", "2"))) {
      ObjectStore store = small.of(BUCKET);
      assertThat(cost(() -> store.deleteObjects(List.of("a", "b", "c"))))
          .isEqualTo(Map.of(DELETE_OBJECTS, 2L));

      // This process sleeps behind the first of two requests.
      RequestCounts before = server.gateway().counts();
      assertThat(
              store.deleteObjects(
                  List.of("a", "b", "c"),
                  () -> server.gateway().counts().minus(before).of(DELETE_OBJECTS) == 0))
          .containsOnlyKeys("c");
      assertThat(server.gateway().counts().minus(before).byType())
          .isEqualTo(Map.of(DELETE_OBJECTS, 1L));
    }
  }

  private static Map<RequestType, Long> cost(Work work) throws IOException {
    RequestCounts before = server.gateway().counts();
    work.run();
    return server.gateway().counts().minus(before).byType();
  }

  private static RepeatableBody body(String content) {
    return RepeatableBody.of(content.getBytes(UTF_8));
  }
}
