package io.zerorename.core.s3a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.s3a.audit.AuditFailureException;
import org.apache.hadoop.fs.s3a.audit.AuditSpanS3A;
import org.apache.hadoop.fs.store.audit.AuditSpan;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/** Requests have audit spans of their own. */
class S3AStrictAuditTest {
  /** S3A refuses every request outside a span. */
  static final Map<String, String> STRICT =
      Map.of("fs.s3a.audit.reject.out.of.span.operations", "true");

  private static final String BUCKET = "strict";
  private static EmbeddedS3Server server;
  private static TestStores stores;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    server.createBucket(BUCKET);
    stores = TestStores.with(server.hadoopSettings(), STRICT);
  }

  @AfterAll
  static void stop() throws IOException {
    stores.close();
    server.close();
  }

  @Test
  void theSameClientIsRefusedWithoutASpan() throws IOException {
    try (S3AFileSystem fileSystem = fileSystem()) {
      fileSystem.getActiveAuditSpan().deactivate();
      S3Client client = fileSystem.getS3AInternals().getAmazonS3Client("test");
      assertThatThrownBy(() -> client.listObjectsV2(request -> request.bucket(BUCKET)))
          .isInstanceOf(AuditFailureException.class);
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
