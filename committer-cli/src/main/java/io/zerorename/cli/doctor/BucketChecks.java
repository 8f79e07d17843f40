package io.zerorename.cli.doctor;

import io.zerorename.cli.doctor.TrialBucket.Effect;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Checks that a path's bucket can be reached, and can do what commits rely on. */
public record BucketChecks(TrialBucket bucket, Check.Test uploadExpiry) {
  /** No job uses a name by which none has written for so long. */
  private static final Duration FORMER_NAME = Duration.ofDays(7);

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
    Path place = bucket.destination();
    List<Finding> findings = new ArrayList<>();
    String without = "no job has written to it by another name of the bucket";
    for (OtherNames.Log other : new OtherNames(bucket.logs()).of(place)) {
      LogTail tail = other.tail();
      Instant last = tail.written(tail.highest());
      if (tail.open().isEmpty() && last.isBefore(tail.listed().minus(FORMER_NAME))) {
        without =
            "nothing is open by another name of the bucket; the log of %s is there, last written at %s"
                .formatted(other.destination().orElse(other.log().directory()), last);
      } else if (other.destination().isEmpty()) {
        findings.add(
            Finding.warning(
                "no entry of the log %s says whether it is of another name of the bucket"
                    .formatted(other.log().directory()),
                "run zerorename status " + place.getParent()));
      } else {
        findings.add(
            Finding.warning(
                ("jobs have written to it as %s, too, whose own commit log was last written at %s: no"
                        + " overwrite under one name replaces what is open under the other")
                    .formatted(other.destination().get(), last),
                "run zerorename recover " + other.destination().get(),
                "then name the bucket alike in all jobs and in the metastore"));
      }
    }
    return Finding.worst(findings, without);
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
