package io.zerorename.testing.s3server;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** What a gateway asks of the server behind it for itself. */
final class UncountedRequests {
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

  /** How large an object is, in bytes, or 0 where there is none. */
  @FunctionalInterface
  interface Size {
    long bytes() throws IOException;
  }

  /** Asks for the size of an object while something else goes on. */
  Size sizeOf(String bucket, String key) {
    CompletableFuture<Long> size =
        CompletableFuture.supplyAsync(
            () -> backend.headObject(request -> request.bucket(bucket).key(key)).contentLength(),
            THREADS);
    return () -> {
      try {
        return size.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof S3Exception refusal && refusal.statusCode() == 404) {
          return 0;
        }
        throw new IOException("could not look up the size of " + bucket + "/" + key, e.getCause());
      }
    };
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
