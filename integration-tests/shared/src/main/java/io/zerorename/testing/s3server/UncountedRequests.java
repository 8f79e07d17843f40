package io.zerorename.testing.s3server;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

/** What a gateway asks of the server behind it for itself. */
final class UncountedRequests {
  private static final Logger LOG = LoggerFactory.getLogger(UncountedRequests.class);

  private static final Executor THREADS =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "s3-gateway-sizes");
            thread.setDaemon(true);
            return thread;
          });

  private final S3Client backend;
  private final boolean deletesMarkersFirst;

  /**
   * @param deletesMarkersFirst whether the server has S3Proxy's defect, see {@link
   *     BulkDelete#markersBesideFiles}
   */
  UncountedRequests(S3Client backend, boolean deletesMarkersFirst) {
    this.backend = backend;
    this.deletesMarkersFirst = deletesMarkersFirst;
  }

  /**
   * Asks how large an object is, in bytes, while something else goes on. It is for a count only: 0
   * where the server does not say it.
   */
  CompletableFuture<Long> sizeOf(String bucket, String key) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return backend.headObject(request -> request.bucket(bucket).key(key)).contentLength();
          } catch (SdkException e) {
            LOG.warn("The size of {}/{}, which is copied, is not known", bucket, key, e);
            return 0L;
          }
        },
        THREADS);
  }

  /** Deletes what must go before a bulk delete arrives. */
  void beforeBulkDelete(String bucket, byte[] body) throws IOException {
    List<String> markers =
        deletesMarkersFirst ? new BulkDelete(body).markersBesideFiles() : List.of();
    for (String marker : markers) {
      try {
        backend.deleteObject(request -> request.bucket(bucket).key(marker));
      } catch (SdkException e) {
        throw new IOException("could not delete " + bucket + "/" + marker, e);
      }
    }
  }
}
