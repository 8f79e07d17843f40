package io.zerorename.core.s3a;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.GET_OBJECT;
import static io.zerorename.testing.s3server.RequestType.HEAD_OBJECT;
import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.LIST_PARTS;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.s3a.S3ASetting;
import io.zerorename.testing.s3a.S3ASettings;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is in the headers of requests, of what users set and besides, and which host they are for.
 */
class S3ARequestSettingsTest {
  private static final RepeatableBody BODY = RepeatableBody.of("body".getBytes(UTF_8));

  /**
   * Something that is asked of a store by one request.
   *
   * @param type as which it arrives
   */
  private record StoreRequest(RequestType type, Call call) {
    private static final Map<String, String> METADATA = Map.of("owner", "me");
    private static final List<UploadedPart> PARTS = List.of(new UploadedPart(1, "\"e\"", 4));

    /** All that there are, on the object {@code k}. */
    static final List<StoreRequest> ALL =
        List.of(
            new StoreRequest(CREATE_MULTIPART_UPLOAD, store -> store.createUpload("k", METADATA)),
            new StoreRequest(UPLOAD_PART, store -> store.uploadPart("k", "id", 1, BODY)),
            new StoreRequest(
                COMPLETE_MULTIPART_UPLOAD, store -> store.completeUpload("k", "id", PARTS)),
            new StoreRequest(
                COMPLETE_MULTIPART_UPLOAD, store -> store.completeUploadIfAbsent("k", "id", PARTS)),
            new StoreRequest(ABORT_MULTIPART_UPLOAD, store -> store.abortUpload("k", "id")),
            new StoreRequest(
                LIST_MULTIPART_UPLOADS, store -> RemoteIterators.toList(store.listUploads("k"))),
            new StoreRequest(LIST_PARTS, store -> store.listParts("k", "id")),
            new StoreRequest(PUT_OBJECT, store -> store.putObject("k", BODY, METADATA)),
            new StoreRequest(PUT_OBJECT, store -> store.putObjectIfAbsent("k", BODY, METADATA)),
            new StoreRequest(GET_OBJECT, store -> store.getObject("k")),
            new StoreRequest(HEAD_OBJECT, store -> store.headObject("k")),
            new StoreRequest(
                LIST_OBJECTS_V2, store -> RemoteIterators.toList(store.listObjects("k"))),
            new StoreRequest(DELETE_OBJECTS, store -> store.deleteObjects(List.of("k"))));

    @FunctionalInterface
    interface Call {
      void on(ObjectStore store) throws IOException;
    }

    void sendTo(ObjectStore store) throws IOException {
      call.on(store);
    }
  }

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
  @Test
  void recordsStayOutOfArchives() throws IOException {
    withSettings(
        Map.of("fs.s3a.create.storage.class", "deep_archive"),
        store -> {
          store.createUpload("k", Map.of());
          assertThat(server.lastHeader("x-amz-storage-class")).isEqualTo("DEEP_ARCHIVE");

          store.putObjectIfAbsent("_zerorename/t/decisions/j", BODY, Map.of());
          assertThat(server.lastHeader("x-amz-storage-class")).isNull();
          ObjectRecords log = new ObjectRecords(path -> store, new Path("s3a://bucket/log"));
          log.putIfAbsent("_9.ended", new byte[1]);
          assertThat(server.lastHeader("x-amz-storage-class")).as("a marker").isNull();
        });
  }

  private void withSettings(Map<String, String> settings, Work work) throws IOException {
    try (TestStores stores = TestStores.with(server.hadoopSettings(), settings)) {
      work.with(stores.of("bucket"));
    }
  }

  static List<S3ASetting> settings() {
    List<S3ASetting> settings = S3ASettings.ofThisHadoop();
    // Those that every Hadoop has that we support.
    assertThat(settings).hasSizeGreaterThan(10);
    return settings;
  }

  @ParameterizedTest
  @MethodSource("settings")
  void aSettingHoldsForAllBucketsOrForTheOneThatHasIt(S3ASetting setting) throws IOException {
    Map<String, String> hadoop = new HashMap<>(server.hadoopSettings());
    // The only one of the settings that Hadoop, from 3.4.3 on, has switched on by itself.
    hadoop.put("fs.s3a.request.md5.header", "false");
    try (TestStores stores = TestStores.with(hadoop, setting.forAllBuckets())) {
      assertHolds(setting, stores.of("bucket"));
    }
    try (TestStores stores = TestStores.with(hadoop, setting.forBucket("sales"))) {
      assertHolds(setting, stores.of("sales"));
      for (StoreRequest request : StoreRequest.ALL) {
        request.sendTo(stores.of("other"));
        assertHasNot(setting, request);
      }
    }
  }

  private void assertHolds(S3ASetting setting, ObjectStore store) throws IOException {
    for (StoreRequest request : StoreRequest.ALL) {
      int before = server.requests();
      request.sendTo(store);
      assertThat(server.requests()).as("%s is one request", request.type()).isEqualTo(before + 1);
      if (setting.types().contains(request.type())) {
        setting
            .headers()
            .forEach(
                (name, value) ->
                    assertThat(server.lastHeader(name))
                        .as("%s of %s", name, request.type())
                        .isNotNull()
                        .contains(value));
      } else {
        assertHasNot(setting, request);
      }
    }
  }

  private void assertHasNot(S3ASetting setting, StoreRequest request) {
    setting
        .headers()
        .forEach(
            (name, value) ->
                assertThat(server.lastHeader(name))
                    .as("%s of %s", name, request.type())
                    .satisfiesAnyOf(
                        header -> assertThat(header).isNull(),
                        header -> assertThat(header).doesNotContain(value)));
  }

  /**
   * @param settings by name without {@code fs.s3a.}
   * @param host that the bucket's requests are for
   * @param path of the object {@code k}
   */
  private record Route(Map<String, String> settings, String region, String host, String path) {
    @Override
    public String toString() {
      return settings.toString();
    }
  }

  static Stream<Route> routes() {
    return Stream.of(
        new Route(
            Map.of("endpoint", "http://s3.example.com", "path.style.access", "true"),
            "us-east-1",
            "s3.example.com",
            "/sales/k"),
        new Route(
            Map.of("endpoint", "http://s3.example.com", "path.style.access", "false"),
            "us-east-1",
            "sales.s3.example.com",
            "/k"),
        new Route(
            Map.of(
                "endpoint", "http://s3.eu-south-1.amazonaws.com", "endpoint.region", "eu-south-1"),
            "eu-south-1",
            "sales.s3.eu-south-1.amazonaws.com",
            "/k"),
        new Route(
            Map.of(
                "accesspoint.arn", "arn:aws:s3:eu-west-3:123456789012:accesspoint/sales-team",
                "endpoint.region", "eu-west-3"),
            "eu-west-3",
            "sales-team-123456789012.s3-accesspoint.eu-west-3.amazonaws.com",
            "/k"));
  }

  /** As the user's proxy sees it. No host of these names is asked: the proxy answers itself. */
  @ParameterizedTest
  @MethodSource("routes")
  void requestsGoThroughTheProxyToTheBucketsOwnHost(Route route) throws IOException {
    Map<String, String> settings = new HashMap<>(throughProxy());
    route.settings().forEach((name, value) -> settings.put("fs.s3a.bucket.sales." + name, value));
    try (TestStores stores = TestStores.with(Map.of(), settings)) {
      for (StoreRequest request : StoreRequest.ALL) {
        int before = server.requests();
        request.sendTo(stores.of("sales"));
        assertThat(server.requests()).as("%s", request.type()).isEqualTo(before + 1);
        assertThat(server.lastHeader("Host")).as("%s", request.type()).isEqualTo(route.host());
        assertThat(server.lastHeader("Authorization")).contains("/" + route.region() + "/s3/");
      }
      stores.of("sales").putObject("k", RepeatableBody.of(new byte[0]), Map.of());
      assertThat(server.lastPath()).isEqualTo(route.path());
    }
  }

  private Map<String, String> throughProxy() {
    Map<String, String> settings = new HashMap<>(server.hadoopSettings());
    settings.remove("fs.s3a.endpoint");
    settings.remove("fs.s3a.path.style.access");
    settings.put("fs.s3a.proxy.host", "127.0.0.1");
    settings.put("fs.s3a.proxy.port", Integer.toString(server.port()));
    return settings;
  }
}
