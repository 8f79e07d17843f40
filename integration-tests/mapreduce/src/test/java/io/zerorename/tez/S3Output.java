package io.zerorename.tez;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.s3server.RequestCounts;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** A directory of the bucket that nobody but one test writes to. */
final class S3Output {
  private final MapReduceCluster cluster;
  private final String prefix;
  private final RequestCounts before;

  S3Output(MapReduceCluster cluster, String name) {
    this.cluster = cluster;
    this.prefix = name + "/";
    this.before = cluster.s3().gateway().counts();
  }

  /**
   * One that an earlier file lies in, of no lines: names then tell the job, and its end finds what
   * killed attempts have begun.
   */
  static S3Output used(MapReduceCluster cluster, String name) {
    S3Output output = new S3Output(cluster, name);
    cluster.bucket().write(output.prefix + "old", new byte[0]);
    return output;
  }

  Path path() {
    return cluster.s3a(prefix);
  }

  /** With a slash at the end. */
  String prefix() {
    return prefix;
  }

  /** The keys of all files that readers see. */
  List<String> files() {
    return cluster.bucket().files(prefix).stream().filter(key -> !key.contains("/_")).toList();
  }

  int pendingUploads() {
    return cluster.bucket().pendingUploads(prefix).size();
  }

  /** Asserts that these lines are there, and no trace of how they came there. */
  void assertCommitted(List<String> lines) {
    assertThat(files())
        .flatMap(key -> new String(cluster.bucket().read(key), UTF_8).lines().toList())
        .containsExactlyInAnyOrderElementsOf(lines);
    assertThat(cluster.bucket().files(prefix)).contains(prefix + "_SUCCESS");
    assertNothingIsLeft();
  }

  /** Asserts that no upload is pending, and nothing was copied. */
  void assertNothingIsLeft() {
    assertThat(pendingUploads()).isZero();
    assertThat(cluster.s3().gateway().counts().minus(before).copies()).isZero();
  }
}
