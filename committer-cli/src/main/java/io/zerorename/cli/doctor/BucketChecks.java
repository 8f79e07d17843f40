package io.zerorename.cli.doctor;

import io.zerorename.cli.doctor.TrialBucket.Effect;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Checks that a path's bucket can be reached, and can do what commits rely on. */
public record BucketChecks(TrialBucket bucket, Check.Test uploadExpiry) {
  /**
   * @param readOnly whether nothing may be written
   */
  public static BucketChecks of(
      ObjectStores stores, Configuration conf, Path destination, boolean readOnly) {
    return new BucketChecks(
        new TrialBucket(stores, conf, destination, readOnly), new UploadExpiry(conf, destination));
  }

  /** To be run in this order. */
  public List<Check> all() {
    List<Check> checks = new ArrayList<>();
    checks.add(new Check("bucket", this::reach));
    checks.addAll(new Permissions(bucket).all());
    ConcurrentRequests requests = new ConcurrentRequests(bucket);
    checks.add(bucket.check("conditional-writes", Effect.WRITES, requests::conditionalWrites));
    checks.add(
        bucket.check("conditional-completes", Effect.WRITES, requests::conditionalCompletes));
    checks.add(bucket.check("abort-beside-complete", Effect.WRITES, requests::abortBesideComplete));
    checks.add(bucket.check("one-name", Effect.READS, this::oneName));
    checks.add(bucket.check("lifecycle-rule", Effect.READS, this::expiry));
    checks.add(new Check("clean-up", bucket::cleanUp));
    return checks;
  }

  /** Jobs that know the bucket by another name keep another commit log. */
  private Finding oneName() throws IOException {
    List<Finding> findings = new ArrayList<>();
    for (var other : bucket.logs().byOtherNames(bucket.destination()).entrySet()) {
      LogTail tail = other.getValue().tail();
      findings.add(
          Finding.warning(
              ("jobs write to it as %s, too, last at %s: they have a commit log of their own, so that"
                      + " no overwrite under one name replaces what is open under the other")
                  .formatted(other.getKey(), tail.written(tail.highest())),
              "name the bucket alike in all jobs and in the metastore",
              "run zerorename recover " + other.getKey()));
    }
    return Finding.worst(findings, "no job has written to it by another name of the bucket");
  }

  /** The listing of uploads has shown which store it is. */
  private Finding expiry() throws IOException {
    return bucket.store(bucket.destination()).listsUploadsByPrefix()
        ? uploadExpiry.run()
        : UploadExpiry.ofMinio();
  }

  private Finding reach() throws IOException {
    Path destination = bucket.destination();
    String content = "";
    try {
      boolean any =
          bucket.store(destination).listObjects(ObjectKeys.prefixOf(destination)).hasNext();
      content = any ? "" : " (nothing is at " + destination + " yet)";
    } catch (StoreException e) {
      // Another check reports a permission that is missing. Credentials that are wrong or absent
      // have other codes.
      if (e.kind() != Kind.ACCESS_DENIED || !e.getMessage().contains("AccessDenied")) {
        bucket.setUnreachable();
        return Finding.wrong(e.getMessage());
      }
    }
    return Finding.ok(
        "%s answers%s; commits are decided in %s"
            .formatted(destination.toUri().getAuthority(), content, bucket.commitDirectory()));
  }
}
