package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Request;
import java.util.List;
import java.util.Optional;

/** Keeps what a bucket held as the first file was to become visible. Breaks nothing. */
final class CommitWatch implements FaultRule {
  private final BucketContents bucket;
  private final String prefix;
  private List<String> visible;
  private int pending;

  CommitWatch(BucketContents bucket, String prefix) {
    this.bucket = bucket;
    this.prefix = prefix;
  }

  @Override
  public synchronized Optional<Fault> on(S3Request request) {
    if (visible == null && request.type() == COMPLETE_MULTIPART_UPLOAD) {
      visible = bucket.files(prefix);
      pending = bucket.pendingUploads(prefix).size();
    }
    return Optional.empty();
  }

  /** The objects that were there; null where no file became visible. */
  synchronized List<String> visible() {
    return visible;
  }

  /** How many uploads had been begun. */
  synchronized int pending() {
    return pending;
  }
}
