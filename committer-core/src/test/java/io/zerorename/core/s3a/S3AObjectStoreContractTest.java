package io.zerorename.core.s3a;

import static io.zerorename.testing.StoreDifference.FAILS_AT_COMPLETES_OF_UPLOADS_THAT_ARE_OVER;
import static io.zerorename.testing.StoreDifference.FAILS_AT_UPLOADS_THAT_ARE_OVER;
import static io.zerorename.testing.StoreDifference.IGNORES_CONDITIONS_OF_COMPLETES;
import static io.zerorename.testing.StoreDifference.LISTS_DELETED_KEYS_ONCE_MORE;
import static io.zerorename.testing.StoreDifference.LISTS_ETAGS_OF_PARTS_WITHOUT_QUOTES;
import static io.zerorename.testing.StoreDifference.LISTS_NO_PARTS_OF_NO_UPLOAD;
import static io.zerorename.testing.StoreDifference.LISTS_REPLACED_PARTS;
import static io.zerorename.testing.StoreDifference.LISTS_UPLOADS_AS_IF_ENCODED;
import static io.zerorename.testing.StoreDifference.LISTS_UPLOADS_BY_EXACT_KEY;
import static io.zerorename.testing.StoreDifference.ORDERS_KEYS_BY_UTF_16;
import static io.zerorename.testing.StoreDifference.REFUSES_EMPTY_CONTENT;
import static io.zerorename.testing.StoreDifference.TAKES_PARTS_AFTER_ABORT;

import io.zerorename.testing.StoreDifference;
import io.zerorename.testing.s3server.ContainerServer;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.OtherServer;
import io.zerorename.testing.s3server.PublicServer;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * S3A's client keeps the store's contract, also where S3A refuses every request outside an audit
 * span. What takes a thousand requests is shown by {@link S3ARequestCountTest} and {@link
 * S3AObjectStoresTest}.
 */
@Tag("stores")
class S3AObjectStoreContractTest extends ServerContract {
  private static final String BUCKET = "contract";
  private static EmbeddedS3Server server;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    server.createBucket(BUCKET);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @Override
  Map<String, String> serverSettings() {
    return server.hadoopSettings();
  }

  @Override
  String bucket() {
    return BUCKET;
  }

  @Override
  protected Set<StoreDifference> differences() {
    return OtherServer.selected()
        .map(S3AObjectStoreContractTest::of)
        .orElse(
            Set.of(TAKES_PARTS_AFTER_ABORT, LISTS_NO_PARTS_OF_NO_UPLOAD, ORDERS_KEYS_BY_UTF_16));
  }

  private static Set<StoreDifference> of(OtherServer other) {
    if (other instanceof ContainerServer container) {
      // The contract has not run on an image yet, and that of Ceph is of a later release.
      return of(PublicServer.valueOf(container.kind().name()));
    }
    return switch ((PublicServer) other) {
      case MINIO -> Set.of(LISTS_UPLOADS_BY_EXACT_KEY);
      case VERSITYGW -> Set.of();
      case SEAWEEDFS -> Set.of(LISTS_REPLACED_PARTS);
      case MOTO -> Set.of(FAILS_AT_UPLOADS_THAT_ARE_OVER);
      case LOCALSTACK -> Set.of(LISTS_UPLOADS_AS_IF_ENCODED);
      case OZONE ->
          Set.of(
              ORDERS_KEYS_BY_UTF_16,
              LISTS_DELETED_KEYS_ONCE_MORE,
              LISTS_ETAGS_OF_PARTS_WITHOUT_QUOTES);
      case CEPH ->
          Set.of(
              FAILS_AT_COMPLETES_OF_UPLOADS_THAT_ARE_OVER,
              IGNORES_CONDITIONS_OF_COMPLETES,
              REFUSES_EMPTY_CONTENT);
    };
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

  @Override
  @Test
  @Tag("thorough")
  public void partsAreListedPastOnePage() throws IOException {
    super.partsAreListedPastOnePage();
  }

  @Override
  @Test
  @Tag("thorough")
  public void listingAndBulkDeleteGoPastOnePage() throws IOException {
    super.listingAndBulkDeleteGoPastOnePage();
  }
}
