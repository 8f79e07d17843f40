package io.zerorename.core.s3a;

import io.zerorename.testing.StoreDifference;
import io.zerorename.testing.s3server.ContainerServer;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.OtherServer;
import io.zerorename.testing.s3server.PublicServer;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on the embedded server. */
abstract class EmbeddedServerContract extends ServerContract {
  private static final String BUCKET = "contract";
  private static final Set<StoreDifference> S3PROXY =
      Set.of(
          StoreDifference.TAKES_PARTS_AFTER_ABORT,
          StoreDifference.LISTS_NO_PARTS_OF_NO_UPLOAD,
          StoreDifference.ORDERS_KEYS_BY_UTF_16);
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
    return OtherServer.selected().map(EmbeddedServerContract::of).orElse(S3PROXY);
  }

  private static Set<StoreDifference> of(OtherServer server) {
    if (server instanceof ContainerServer container) {
      // The contract has not run on an image yet, and that of Ceph is of a later release.
      return of(PublicServer.valueOf(container.kind().name()));
    }
    return switch ((PublicServer) server) {
      case MINIO -> Set.of(StoreDifference.LISTS_UPLOADS_BY_EXACT_KEY);
      case VERSITYGW -> Set.of();
      case SEAWEEDFS -> Set.of(StoreDifference.LISTS_REPLACED_PARTS);
      case MOTO -> Set.of(StoreDifference.FAILS_AT_UPLOADS_THAT_ARE_OVER);
      case LOCALSTACK -> Set.of(StoreDifference.LISTS_UPLOADS_AS_IF_ENCODED);
      case OZONE ->
          Set.of(
              StoreDifference.ORDERS_KEYS_BY_UTF_16,
              StoreDifference.LISTS_DELETED_KEYS_ONCE_MORE,
              StoreDifference.LISTS_ETAGS_OF_PARTS_WITHOUT_QUOTES);
      case CEPH ->
          Set.of(
              StoreDifference.FAILS_AT_COMPLETES_OF_UPLOADS_THAT_ARE_OVER,
              StoreDifference.IGNORES_CONDITIONS_OF_COMPLETES,
              StoreDifference.REFUSES_EMPTY_CONTENT);
    };
  }
}
