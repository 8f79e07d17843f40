package io.zerorename.core.s3a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which paths have an object store, and what is said of those that have none. */
class S3AObjectStoresTest {

  @Test
  void aPathElsewhereIsRefusedByTheClassOfItsFileSystem(@TempDir Path directory)
      throws IOException {
    try (TestStores stores =
        TestStores.with(Map.of(), Map.of("fs.s3a.impl", "org.apache.hadoop.fs.LocalFileSystem"))) {
      assertRejected(() -> stores.of("bucket"), "s3a://bucket/", "LocalFileSystem", "fs.s3a.impl");
      assertRejected(
          () ->
              stores.stores().forPath(new org.apache.hadoop.fs.Path(directory.toUri().toString())),
          "no scheme or no bucket");
      assertRejected(
          () -> stores.stores().forPath(new org.apache.hadoop.fs.Path("/table")),
          "/table",
          "s3a://bucket/directory");
      assertRejected(
          () -> stores.stores().forPath(new org.apache.hadoop.fs.Path("gibberish://bucket/t")),
          "gibberish://bucket/",
          "No FileSystem for scheme");
    }
  }

  @Test
  void loginDetailsInAPathAreRefusedAndNotRepeated() throws IOException {
    try (TestStores stores = TestStores.with(Map.of(), Map.of())) {
      for (String bucket : List.of("my-bucket", "my_bucket")) {
        ThrowingCallable call =
            () ->
                stores
                    .stores()
                    .forPath(new org.apache.hadoop.fs.Path("s3a://key:hush-hush@" + bucket + "/t"));
        assertRejected(call, bucket, "login details", "fs.s3a.access.key");
        assertThatThrownBy(call).hasMessageNotContaining("hush-hush");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "b--usw2-az1--x-s3, fs.s3a.threads.max=96, ZR-4220 / is a directory bucket / general purpose",
    "b, fs.s3a.encryption.algorithm=CSE-KMS, s3a://b/ / CSE-KMS / not supported / SSE-KMS",
    "b, fs.s3a.multipart.uploads.enabled=false, s3a://b/k / fs.s3a.multipart.uploads.enabled",
    "b, fs.s3a.aws.credentials.provider=no.such.Provider, Cannot open s3a://b/ / no.such.Provider"
  })
  void whatCannotWorkIsRefusedBeforeAnyRequest(String bucket, String setting, String parts)
      throws IOException {
    Map<String, String> settings =
        Map.of(
            "fs.s3a.encryption.key",
            "arn:aws:kms:eu-west-1:1:key/2",
            "fs.s3a.fast.upload.buffer",
            "disk",
            setting.substring(0, setting.indexOf('=')),
            setting.substring(setting.indexOf('=') + 1));
    try (CannedS3 server = new CannedS3(200, CannedS3.ANY_RESULT);
        TestStores stores = TestStores.with(server.hadoopSettings(), settings)) {
      assertRejected(() -> stores.of(bucket).createUpload("k", Map.of()), parts.split(" / ", -1));
      assertThat(server.requests()).isZero();
    }
  }

  /** As a listing of a directory bucket is, of which a name may say nothing. */
  @Test
  void aListingOutOfOrderFails() throws IOException {
    assertThat(listing("t/a", "t/b", "t/b/c", "t/é", "t/\uFF5E", "t/\uD83D\uDE00"))
        .as("in order of UTF-8, though not of UTF-16")
        .hasSize(6);
    assertRejected(
        () -> listing("t/a", "t/c", "t/b"),
        "ZR-4221",
        "s3a://bucket/t/",
        "the key t/b behind t/c",
        "docs/stores.md");
    assertRejected(() -> listing("t/a", "t/a"), "ZR-4221", "the key t/a behind t/a");
    assertRejected(() -> listing("t/\uD83D\uDE00", "t/\uFF5E"), "ZR-4221");
  }

  @Test
  void aListingThatHasMoreAndDoesNotSayWhereFails() {
    assertRejected(
        () -> answerOf("<IsTruncated>true</IsTruncated>" + entry("t/a")),
        "ZR-4109",
        "ListObjectsV2 of s3a://bucket/t/");
  }

  private static List<ObjectSummary> listing(String... keys) throws IOException {
    return answerOf(
        "<IsTruncated>false</IsTruncated>"
            + Arrays.stream(keys).map(S3AObjectStoresTest::entry).collect(Collectors.joining()));
  }

  private static String entry(String key) {
    return "<Contents><Key>%s</Key><LastModified>2026-11-27T00:00:00.000Z</LastModified>"
            .formatted(key)
        + "<ETag>&quot;e&quot;</ETag><Size>1</Size></Contents>";
  }

  private static List<ObjectSummary> answerOf(String result) throws IOException {
    try (CannedS3 server = new CannedS3(200, "<Result><Name>bucket</Name>" + result + "</Result>");
        TestStores stores = TestStores.with(server.hadoopSettings(), Map.of())) {
      return RemoteIterators.toList(stores.of("bucket").listObjects("t/"));
    }
  }

  /** The embedded server answers by one page. */
  @Test
  void theNextPageOfPartsBeginsWhereTheStoreSaysThatThePreviousEnded() throws IOException {
    UnaryOperator<String> paged =
        query -> query.contains("part-number-marker=2") ? page("", 7) : page("2", 1, 2);
    assertThat(parts(paged)).extracting(UploadedPart::number).containsExactly(1, 2, 7);
    assertRejected(() -> parts(query -> page("", 1).replace("false", "true")), "ListParts of");
  }

  private static List<UploadedPart> parts(UnaryOperator<String> answers) throws IOException {
    try (CannedS3 server = new CannedS3(200, answers);
        TestStores stores = TestStores.with(server.hadoopSettings(), Map.of())) {
      return stores.of("bucket").listParts("k", "id");
    }
  }

  private static String page(String next, int... parts) {
    return "<Result><UploadId>id</UploadId><IsTruncated>%s</IsTruncated>".formatted(!next.isEmpty())
        + (next.isEmpty() ? "" : "<NextPartNumberMarker>" + next + "</NextPartNumberMarker>")
        + Arrays.stream(parts)
            .mapToObj(
                number -> "<Part><PartNumber>" + number + "</PartNumber><Size>1</Size></Part>")
            .collect(Collectors.joining())
        + "</Result>";
  }

  private static void assertRejected(ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> {
              assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.REJECTED);
              assertThat(e.getMessage()).contains(parts);
            });
  }
}
