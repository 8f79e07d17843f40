package io.zerorename.core.s3a;

import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.s3a.audit.AuditFailureException;
import org.apache.hadoop.fs.s3a.audit.AuditSpanS3A;
import org.apache.hadoop.fs.store.audit.AuditSpan;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What methods of the seam cost, counted between the client and the server, and what the store's
 * access log can tell of a request: who has sent it, for whom, and what for.
 */
class S3ARequestCountTest {
  private static final String BUCKET = "counted";

  /** S3A refuses every request outside a span. */
  static final Map<String, String> STRICT =
      Map.of("fs.s3a.audit.reject.out.of.span.operations", "true");

  private static EmbeddedS3Server server;
  private static BucketContents contents;
  private static TestStores stores;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(BUCKET);
    stores = TestStores.with(server.hadoopSettings(), STRICT);
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

  @Test
  void everyRequestNamesOperationPathUserQueryAndTaskAttempt() throws Exception {
    Configuration conf = conf();
    conf.set("hive.query.id", "hive_20261121_42");
    AuditLabels labels = AuditLabels.of(conf).ofTaskAttempt("attempt_1_0001_m_000000_0");

    try (S3AObjectStores labelled = new S3AObjectStores(conf, labels);
        RequestRecording recording = server.gateway().record()) {
      // As in a commit, where the threads of a pool send what another one has begun.
      ExecutorService pool = Executors.newSingleThreadExecutor();
      try {
        pool.submit(() -> oneOfEach(labelled.forPath(new Path("s3a://" + BUCKET + "/")))).get();
      } finally {
        pool.shutdown();
      }

      assertThat(recording.requests()).hasSize(8);
      assertThat(recording.requests())
          .allSatisfy(
              request ->
                  assertThat(referrer(request))
                      .startsWith("https://audit.example.org/hadoop/1/zerorename.")
                      .contains("ji=hive_20261121_42", "ta=attempt_1_0001_m_000000_0")
                      .contains("pr=" + UserGroupInformation.getCurrentUser().getUserName())
                      .contains("p1=s3a://" + BUCKET + "/k")
                      .doesNotContain(EmbeddedS3Server.SECRET_KEY));
      assertThat(recording.requests())
          .extracting(S3ARequestCountTest::operation)
          .containsExactly(
              "zerorename.CreateMultipartUpload",
              "zerorename.UploadPart",
              "zerorename.CompleteMultipartUpload",
              "zerorename.PutObject",
              "zerorename.HeadObject",
              "zerorename.GetObject",
              "zerorename.ListObjectsV2",
              "zerorename.DeleteObjects");
    }
  }

  @Test
  void theCallersOwnSpanIsActiveAgainAfterACall() throws IOException {
    try (S3AFileSystem fileSystem = fileSystem()) {
      S3AObjectStore store = storeOf(fileSystem);
      try (AuditSpan callers = fileSystem.createSpan("callers", null, null)) {
        store.putObject("span", RepeatableBody.of(new byte[1]), Map.of());
        assertThat(fileSystem.getActiveAuditSpan()).isSameAs(callers);
      }
      AuditSpan none = fileSystem.getActiveAuditSpan();
      store.headObject("span");
      assertThat(fileSystem.getActiveAuditSpan()).isSameAs(none);
      assertThat(none.isValidSpan()).isFalse();
    }
  }

  @Test
  void aSpanThatS3ALosesWhileItMakesItIsMadeAgain() throws IOException {
    try (LosesSpans fileSystem = losing(1)) {
      assertThat(storeOf(fileSystem).headObject("absent")).isEmpty();
      assertThat(fileSystem.toLose).hasValue(0);
    }
  }

  @Test
  void aRequestIsRefusedWhereS3AMakesNoSpan() throws IOException {
    try (LosesSpans fileSystem = losing(Integer.MAX_VALUE)) {
      assertThatThrownBy(() -> storeOf(fileSystem).headObject("absent"))
          .isInstanceOf(StoreException.class)
          .hasRootCauseInstanceOf(AuditFailureException.class);
    }
  }

  private static Void oneOfEach(ObjectStore store) throws IOException {
    String upload = store.createUpload("k", Map.of());
    UploadedPart part = store.uploadPart("k", upload, 1, RepeatableBody.of(new byte[1]));
    store.completeUpload("k", upload, List.of(part));
    store.putObject("k", RepeatableBody.of(new byte[1]), Map.of());
    store.headObject("k");
    store.getObject("k");
    store.listObjects("k").next();
    store.deleteObjects(List.of("k"));
    return null;
  }

  private static Configuration conf() {
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    conf.setBoolean("fs.s3a.impl.disable.cache", true);
    return conf;
  }

  private static String referrer(S3Request request) {
    return URLDecoder.decode(request.headers().get("referer"), UTF_8);
  }

  private static String operation(S3Request request) {
    return referrer(request).replaceFirst(".*/hadoop/1/([^/]+)/.*", "$1");
  }

  private static LosesSpans losing(int spans) throws IOException {
    Configuration conf = new Configuration(stores.configuration());
    conf.setClass("fs.s3a.impl", LosesSpans.class, FileSystem.class);
    LosesSpans fileSystem =
        (LosesSpans) FileSystem.newInstance(URI.create("s3a://" + BUCKET + "/"), conf);
    fileSystem.toLose.set(spans);
    return fileSystem;
  }

  private static S3AFileSystem fileSystem() throws IOException {
    return (S3AFileSystem)
        FileSystem.newInstance(URI.create("s3a://" + BUCKET + "/"), stores.configuration());
  }

  private static S3AObjectStore storeOf(S3AFileSystem fileSystem) throws IOException {
    return new S3AObjectStore(
        fileSystem,
        fileSystem.getS3AInternals().getAmazonS3Client("test"),
        new AuditLabels(Map.of()),
        new ConcurrentHashMap<>());
  }

  /** As where garbage is collected before S3A returns a span. */
  static final class LosesSpans extends S3AFileSystem {
    final AtomicInteger toLose = new AtomicInteger();

    @Override
    public AuditSpanS3A createSpan(String operation, String path1, String path2)
        throws IOException {
      AuditSpanS3A span = super.createSpan(operation, path1, path2);
      if (toLose.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
        return span;
      }
      span.deactivate();
      return getActiveAuditSpan();
    }
  }
}
