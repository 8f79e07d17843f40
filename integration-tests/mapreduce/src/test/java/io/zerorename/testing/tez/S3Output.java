package io.zerorename.testing.tez;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Gateway;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** A directory of a bucket that nobody but one test writes to. */
public final class S3Output {
  private final BucketContents bucket;
  private final String prefix;
  private final S3Gateway gateway;
  private final RequestCounts before;

  private S3Output(BucketContents bucket, String prefix, S3Gateway gateway) {
    this.bucket = bucket;
    this.prefix = prefix;
    this.gateway = gateway;
    this.before = gateway.counts();
  }

  /** In the bucket that all tests share. */
  public static S3Output of(MapReduceCluster cluster, String name) {
    return of(cluster.bucket(), name, cluster.s3().gateway());
  }

  /** In a bucket. */
  public static S3Output of(BucketContents bucket, String name, S3Gateway gateway) {
    return new S3Output(bucket, name + "/", gateway);
  }

  /**
   * One that an earlier file lies in, of no lines: names then tell the job, and its end finds what
   * killed attempts have begun.
   */
  public static S3Output used(MapReduceCluster cluster, String name) {
    S3Output output = of(cluster, name);
    output.bucket.write(output.prefix + "old", new byte[0]);
    return output;
  }

  public Path path() {
    return new Path("s3a://" + bucket.bucket() + "/" + prefix);
  }

  /** With a slash at the end. */
  public String prefix() {
    return prefix;
  }

  /** The keys of all files that readers see. */
  public List<String> files() {
    return bucket.files(prefix).stream()
        // What is kept about outputs that lie in this one.
        .filter(key -> !key.contains("/_zerorename/"))
        .filter(key -> !key.substring(key.lastIndexOf('/') + 1).startsWith("_"))
        .toList();
  }

  /** The lines of all these, in order. */
  public List<String> lines() {
    return files().stream()
        .flatMap(key -> new String(bucket.read(key), UTF_8).lines())
        .sorted()
        .toList();
  }

  /** Uploads that are neither completed nor aborted. */
  public List<BucketContents.PendingUpload> pendingUploads() {
    return bucket.pendingUploads(prefix);
  }

  /**
   * How many requests of a type have been sent since this object was made, to all of its server.
   */
  public long requests(RequestType type) {
    return gateway.counts().minus(before).of(type);
  }

  /** Asserts that these lines are there, and no trace of how they came there. */
  public void assertCommitted(List<String> lines) {
    assertThat(lines()).isEqualTo(lines);
    assertThat(bucket.files(prefix)).contains(prefix + "_SUCCESS");
    assertNothingIsLeft();
  }

  /** Asserts that uploads were aborted, but for those of the files. */
  public void assertOthersAborted(int files) {
    assertThat(requests(RequestType.ABORT_MULTIPART_UPLOAD))
        .isEqualTo(requests(RequestType.CREATE_MULTIPART_UPLOAD) - files);
  }

  /** Asserts that no upload is pending, and nothing was copied. */
  public void assertNothingIsLeft() {
    assertThat(pendingUploads()).isEmpty();
    assertThat(gateway.counts().minus(before).copies()).isZero();
  }
}
