package io.zerorename.core.s3a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.PartBody;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.s3a.audit.AuditFailureException;
import org.apache.hadoop.fs.store.audit.AuditSpan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/** The contract holds where S3A refuses every request outside an audit span. */
class S3AStrictAuditTest extends EmbeddedServerContract {
  @Override
  Map<String, String> settings() {
    return Map.of("fs.s3a.audit.reject.out.of.span.operations", "true");
  }

  /** S3A leaves a span active on the thread that opens a file system: let that be another one. */
  @BeforeEach
  void openOnAnotherThread() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      pool.submit(this::store).get();
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void theSameClientIsRefusedWithoutASpan() throws IOException {
    try (S3AFileSystem fileSystem = fileSystem()) {
      fileSystem.getActiveAuditSpan().deactivate();
      S3Client client = fileSystem.getS3AInternals().getAmazonS3Client("test");
      String bucket = fileSystem.getBucket();
      assertThatThrownBy(() -> client.listObjectsV2(request -> request.bucket(bucket)))
          .isInstanceOf(AuditFailureException.class);
    }
  }

  @Test
  void theCallersOwnSpanIsActiveAgainAfterACall() throws IOException {
    try (S3AFileSystem fileSystem = fileSystem()) {
      S3AObjectStore store =
          new S3AObjectStore(
              fileSystem,
              fileSystem.getS3AInternals().getAmazonS3Client("test"),
              new AuditLabels(Map.of()));
      try (AuditSpan callers = fileSystem.createSpan("callers", null, null)) {
        store.putObject("span", PartBody.of(new byte[1]), Map.of());
        assertThat(fileSystem.getActiveAuditSpan()).isSameAs(callers);
      }
      AuditSpan none = fileSystem.getActiveAuditSpan();
      store.headObject("span");
      assertThat(fileSystem.getActiveAuditSpan()).isSameAs(none);
      assertThat(none.isValidSpan()).isFalse();
    }
  }

  private S3AFileSystem fileSystem() throws IOException {
    return (S3AFileSystem)
        FileSystem.newInstance(
            URI.create("s3a://" + store().bucket() + "/"), stores().configuration());
  }
}
