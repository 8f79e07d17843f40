package io.zerorename.testing.s3server;

import java.io.IOException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** What a gateway asks of the server behind it for itself. */
final class UncountedRequests {
  private final S3Client backend;

  UncountedRequests(S3Client backend) {
    this.backend = backend;
  }

  /** How large an object is, in bytes, or 0 where there is none. */
  long sizeOf(String bucket, String key) throws IOException {
    try {
      return backend.headObject(request -> request.bucket(bucket).key(key)).contentLength();
    } catch (S3Exception e) {
      if (e.statusCode() == 404) {
        return 0;
      }
      throw new IOException("could not look up the size of " + bucket + "/" + key, e);
    }
  }

  void delete(String bucket, String key) throws IOException {
    try {
      backend.deleteObject(request -> request.bucket(bucket).key(key));
    } catch (SdkException e) {
      throw new IOException("could not delete " + bucket + "/" + key, e);
    }
  }
}
