package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the user has set for S3A is in the headers of our requests. */
class S3ARequestSettingsTest {
  private static final PartBody BODY = PartBody.of("body".getBytes(UTF_8));
  private static final List<UploadedPart> PARTS = List.of(new UploadedPart(1, "\"e\"", 4));

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
  void createCarriesEncryptionStorageClassAclAndContentEncoding() throws IOException {
    withSettings(
        Map.of(
            "fs.s3a.encryption.algorithm", "AES256",
            "fs.s3a.create.storage.class", "intelligent_tiering",
            "fs.s3a.acl.default", "BucketOwnerFullControl",
            "fs.s3a.object.content.encoding", "gzip"),
        store -> {
          assertThat(store.createUpload("k", Map.of("zerorename-id", "u-u-i-d"))).isEqualTo("id");
          assertWritesAsTheUserWants();
          assertThat(server.lastHeader("x-amz-meta-zerorename-id")).isEqualTo("u-u-i-d");
        });
  }

  /** Since Hadoop 3.4.3; earlier ones do not know the setting. */
  @Test
  void checksumsThatCompleteCouldNotNameAreNotDeclaredAtCreate() throws IOException {
    withSettings(
        Map.of("fs.s3a.create.checksum.algorithm", "CRC32C"),
        store -> {
          store.createUpload("k", Map.of());
          assertThat(server.lastHeader("x-amz-checksum-algorithm")).isNull();
          store.uploadPart("k", "id", 1, BODY);
          assertThat(server.lastHeader("x-amz-sdk-checksum-algorithm")).isNull();
          assertThat(server.lastHeader("x-amz-trailer")).isNull();
        });
  }

  @Test
  void putCarriesTheSameAndTheContentTypeOfS3a() throws IOException {
    withSettings(
        Map.of(
            "fs.s3a.encryption.algorithm", "AES256",
            "fs.s3a.create.storage.class", "intelligent_tiering",
            "fs.s3a.acl.default", "BucketOwnerFullControl",
            "fs.s3a.object.content.encoding", "gzip"),
        store -> {
          store.putObject("k", BODY, Map.of("owner", "me"));
          assertWritesAsTheUserWants();
          assertThat(server.lastHeader("x-amz-meta-owner")).isEqualTo("me");
          assertThat(server.lastHeader("Content-Type")).isEqualTo("application/octet-stream");
          assertThat(server.lastHeader("If-None-Match")).isNull();

          store.putObjectIfAbsent("k", BODY, Map.of("owner", "me"));
          assertWritesAsTheUserWants();
          assertThat(server.lastHeader("x-amz-meta-owner")).isEqualTo("me");
          assertThat(server.lastHeader("If-None-Match")).isEqualTo("*");
        });
  }

  @Test
  void aDirectoryMarkerIsOneOfS3a() throws IOException {
    withSettings(
        Map.of("fs.s3a.encryption.algorithm", "AES256"),
        store -> {
          store.putObject("dir/", PartBody.of(new byte[0]), Map.of());
          assertThat(server.lastHeader("x-amz-server-side-encryption")).isEqualTo("AES256");
          assertThat(server.lastHeader("Content-Type")).isEqualTo("application/x-directory");
          assertThat(server.lastHeader("x-amz-decoded-content-length")).isEqualTo("0");
        });
  }

  @Test
  void keysOfTheKeyManagementServiceAreNamedAtCreateAndPut() throws IOException {
    withSettings(
        Map.of(
            "fs.s3a.encryption.algorithm", "SSE-KMS",
            "fs.s3a.encryption.key", "arn:aws:kms:eu-west-1:1:key/2"),
        store -> {
          store.createUpload("k", Map.of());
          assertKeyOfTheKeyManagementService();
          store.putObjectIfAbsent("k", BODY, Map.of());
          assertKeyOfTheKeyManagementService();
        });
  }

  @Test
  void customersKeysGoWithEveryRequestThatMovesBytes() throws Exception {
    byte[] key = "0123456789abcdef0123456789abcdef".getBytes(UTF_8);
    String encoded = Base64.getEncoder().encodeToString(key);
    String md5 = Base64.getEncoder().encodeToString(MessageDigest.getInstance("MD5").digest(key));
    withSettings(
        Map.of("fs.s3a.encryption.algorithm", "SSE-C", "fs.s3a.encryption.key", encoded),
        store -> {
          store.createUpload("k", Map.of());
          assertCustomersKey(encoded, md5);
          store.uploadPart("k", "id", 1, BODY);
          assertCustomersKey(encoded, md5);
          store.putObject("k", BODY, Map.of());
          assertCustomersKey(encoded, md5);
          store.getObject("k");
          assertCustomersKey(encoded, md5);
          store.headObject("k");
          assertCustomersKey(encoded, md5);
        });
  }

  @Test
  void requesterPaysIsOnEveryRequest() throws IOException {
    withSettings(
        Map.of("fs.s3a.requester.pays.enabled", "true"),
        store -> {
          store.createUpload("k", Map.of());
          assertThat(server.lastHeader("x-amz-request-payer")).isEqualTo("requester");
          store.uploadPart("k", "id", 1, BODY);
          assertThat(server.lastHeader("x-amz-request-payer")).isEqualTo("requester");
          store.completeUpload("k", "id", PARTS);
          assertThat(server.lastHeader("x-amz-request-payer")).isEqualTo("requester");
          store.listParts("k", "id");
          assertThat(server.lastHeader("x-amz-request-payer")).isEqualTo("requester");
          store.uploadsExpireAfter("");
          assertThat(server.lastHeader("x-amz-request-payer")).isEqualTo("requester");
          store.abortUpload("k", "id");
          assertThat(server.lastHeader("x-amz-request-payer")).isEqualTo("requester");
          store.putObjectIfAbsent("k", BODY, Map.of());
          assertThat(server.lastHeader("x-amz-request-payer")).isEqualTo("requester");
          assertThat(server.lastHeader("If-None-Match")).isEqualTo("*");
        });
  }

  @Test
  void twoBucketsOfOneJobHaveTheirOwnSettings() throws IOException {
    try (TestStores stores =
        TestStores.with(
            server.hadoopSettings(),
            Map.of(
                "fs.s3a.bucket.cold.create.storage.class", "glacier_ir",
                "fs.s3a.bucket.secret.encryption.algorithm", "AES256"))) {
      stores.of("cold").createUpload("k", Map.of());
      assertThat(server.lastHeader("x-amz-storage-class")).isEqualTo("GLACIER_IR");
      assertThat(server.lastHeader("x-amz-server-side-encryption")).isNull();

      stores.of("secret").createUpload("k", Map.of());
      assertThat(server.lastHeader("x-amz-storage-class")).isNull();
      assertThat(server.lastHeader("x-amz-server-side-encryption")).isEqualTo("AES256");
      assertThat(stores.of("secret").bucket()).isEqualTo("secret");
      assertThat(stores.of("secret")).isSameAs(stores.of("secret"));
    }
  }

  @Test
  void theAccessLogNamesTheOperationAndThePath() throws IOException {
    withSettings(
        Map.of(),
        store -> {
          store.uploadPart("table/file", "id", 1, BODY);
          assertThat(server.lastHeader("Referer"))
              .contains("op=zerorename.UploadPart")
              .contains("p1=s3a://bucket/table/file");
        });
  }

  private void assertWritesAsTheUserWants() {
    assertThat(server.lastHeader("x-amz-server-side-encryption")).isEqualTo("AES256");
    assertThat(server.lastHeader("x-amz-storage-class")).isEqualTo("INTELLIGENT_TIERING");
    assertThat(server.lastHeader("x-amz-acl")).isEqualTo("bucket-owner-full-control");
    assertThat(server.lastHeader("Content-Encoding")).contains("gzip");
  }

  private void assertKeyOfTheKeyManagementService() {
    assertThat(server.lastHeader("x-amz-server-side-encryption")).isEqualTo("aws:kms");
    assertThat(server.lastHeader("x-amz-server-side-encryption-aws-kms-key-id"))
        .isEqualTo("arn:aws:kms:eu-west-1:1:key/2");
  }

  private void assertCustomersKey(String encoded, String md5) {
    String header = "x-amz-server-side-encryption-customer-";
    assertThat(server.lastHeader(header + "algorithm")).isEqualTo("AES256");
    assertThat(server.lastHeader(header + "key")).isEqualTo(encoded);
    assertThat(server.lastHeader(header + "key-MD5")).isEqualTo(md5);
  }

  private void withSettings(Map<String, String> settings, Work work) throws IOException {
    try (TestStores stores = TestStores.with(server.hadoopSettings(), settings)) {
      work.with(stores.of("bucket"));
    }
  }
}
