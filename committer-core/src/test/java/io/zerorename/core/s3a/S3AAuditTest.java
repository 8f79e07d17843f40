package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.s3a.audit.AuditFailureException;
import org.apache.hadoop.fs.s3a.audit.AuditSpanS3A;
import org.apache.hadoop.fs.store.audit.AuditSpan;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What the store's access log can tell of a request: who has sent it, for whom, and what for. Each
 * has an audit span of its own.
 */
class S3AAuditTest {
  private static final String BUCKET = "audited";

  /** S3A refuses every request outside a span. */
  static final Map<String, String> STRICT =
      Map.of("fs.s3a.audit.reject.out.of.span.operations", "true");

  private static EmbeddedS3Server server;
  private static TestStores strict;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    server.createBucket(BUCKET);
    strict = TestStores.with(server.hadoopSettings(), STRICT);
  }

  @AfterAll
  static void stop() throws IOException {
    strict.close();
    server.close();
  }

  @Test
  void everyRequestNamesOperationPathUserQueryAndTaskAttempt() throws Exception {
    Configuration conf = conf();
    conf.set("hive.query.id", "hive_20261121_42");
    AuditLabels labels = AuditLabels.of(conf).ofTaskAttempt("attempt_1_0001_m_000000_0");

    try (S3AObjectStores stores = new S3AObjectStores(conf, labels);
        RequestRecording recording = server.gateway().record()) {
      // As in a commit, where the threads of a pool send what another one has begun.
      ExecutorService pool = Executors.newSingleThreadExecutor();
      try {
        pool.submit(() -> oneOfEach(stores.forPath(new Path("s3a://" + BUCKET + "/")))).get();
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
          .extracting(S3AAuditTest::operation)
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
    Configuration conf = new Configuration(strict.configuration());
    conf.setClass("fs.s3a.impl", LosesSpans.class, FileSystem.class);
    LosesSpans fileSystem =
        (LosesSpans) FileSystem.newInstance(URI.create("s3a://" + BUCKET + "/"), conf);
    fileSystem.toLose.set(spans);
    return fileSystem;
  }

  private static S3AFileSystem fileSystem() throws IOException {
    return (S3AFileSystem)
        FileSystem.newInstance(URI.create("s3a://" + BUCKET + "/"), strict.configuration());
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
