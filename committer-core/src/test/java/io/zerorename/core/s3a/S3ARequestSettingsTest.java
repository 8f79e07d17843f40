package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is in the headers of our requests besides {@linkplain S3ASettingsTest what users set}. */
class S3ARequestSettingsTest {
  private static final RepeatableBody BODY = RepeatableBody.of("body".getBytes(UTF_8));

  private CannedS3 server;

  @BeforeEach
  void start() throws IOException {
    server = new CannedS3(200, CannedS3.ANY_RESULT);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @FunctionalInterface
  private interface Work {
    void with(ObjectStore store) throws IOException;
  }

  @Test
  void theChecksumsOfPartsAreNamedByCreateAndByComplete() throws IOException {
    withSettings(
        Map.of("fs.s3a.checksum.generation", "true"),
        store -> {
          store.createUpload("k", Map.of());
          assertThat(server.lastHeader("x-amz-checksum-algorithm")).isEqualTo("CRC32");
          store.uploadPart("k", "id", 1, BODY);
          assertThat(server.lastHeader("x-amz-sdk-checksum-algorithm")).isEqualTo("CRC32");
          for (String algorithm : List.of("CRC32", "CRC32C", "SHA1", "SHA256")) {
            Map<String, String> checksums = Map.of(algorithm, "AAAA");
            store.completeUpload("k", "id", List.of(new UploadedPart(1, "e", 4, checksums)));
            assertThat(server.lastBody())
                .contains("<Checksum%s>AAAA</Checksum%s>".formatted(algorithm, algorithm));
          }
        });
  }

  @Test
  void withoutASettingNoPartHasAChecksum() throws IOException {
    withSettings(
        Map.of(),
        store -> {
          store.createUpload("k", Map.of());
          assertThat(server.lastHeader("x-amz-checksum-algorithm")).isNull();
          assertThat(store.uploadPart("k", "id", 1, BODY).checksums()).isEmpty();
          assertThat(server.lastHeader("x-amz-sdk-checksum-algorithm")).isNull();
          assertThat(server.lastHeader("x-amz-trailer")).isNull();
        });
  }

  /** Whoever carries a commit on reads its records, which S3 would first have to restore. */
  @ParameterizedTest
  @ValueSource(strings = {"glacier", "deep_archive"})
  void recordsStayOutOfArchives(String storageClass) throws IOException {
    String name = storageClass.toUpperCase(Locale.ROOT);
    withSettings(
        Map.of("fs.s3a.create.storage.class", storageClass),
        store -> {
          store.createUpload("k", Map.of());
          assertThat(server.lastHeader("x-amz-storage-class")).isEqualTo(name);

          store.putObjectIfAbsent("_zerorename/t/decisions/j", BODY, Map.of());
          assertThat(server.lastHeader("x-amz-storage-class")).isNull();
          ObjectRecords log = new ObjectRecords(path -> store, new Path("s3a://bucket/log"));
          log.putIfAbsent("_9.ended", new byte[1]);
          assertThat(server.lastHeader("x-amz-storage-class")).as("a marker").isNull();
        });
  }

  @Test
  void aDirectoryMarkerIsOneOfS3a() throws IOException {
    withSettings(
        Map.of("fs.s3a.encryption.algorithm", "AES256"),
        store -> {
          store.putObject("dir/", RepeatableBody.of(new byte[0]), Map.of());
          assertThat(server.lastHeader("x-amz-server-side-encryption")).isEqualTo("AES256");
          assertThat(server.lastHeader("Content-Type")).isEqualTo("application/x-directory");
          assertThat(server.lastHeader("x-amz-decoded-content-length")).isEqualTo("0");
        });
  }

  private void withSettings(Map<String, String> settings, Work work) throws IOException {
    try (TestStores stores = TestStores.with(server.hadoopSettings(), settings)) {
      work.with(stores.of("bucket"));
    }
  }
}
