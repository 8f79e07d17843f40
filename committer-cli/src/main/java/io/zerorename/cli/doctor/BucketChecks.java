package io.zerorename.cli.doctor;

import io.zerorename.cli.doctor.TrialBucket.Effect;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** Checks that a path's bucket can be reached, and can do what commits rely on. */
record BucketChecks(TrialBucket bucket) {
  /** Shorter rules can remove the uploads of a job that runs over a weekend. */
  private static final Duration SHORT = Duration.ofDays(3);

  /** To be run in this order. */
  List<Check> all() {
    List<Check> checks = new ArrayList<>();
    checks.add(new Check("bucket", this::reach));
    checks.addAll(new Permissions(bucket).all());
    checks.add(bucket.check("conditional-writes", Effect.WRITES, new ConditionalWrites(bucket)));
    checks.add(
        bucket.check("abort-beside-complete", Effect.WRITES, new AbortBesideComplete(bucket)));
    checks.add(bucket.check("lifecycle-rule", Effect.READS, this::lifecycle));
    checks.add(new Check("clean-up", bucket::cleanUp));
    return checks;
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

  private Finding lifecycle() throws IOException {
    Path destination = bucket.destination();
    Optional<Duration> expiry;
    try {
      expiry = bucket.store(destination).uploadsExpireAfter(ObjectKeys.prefixOf(destination));
    } catch (StoreException e) {
      if (e.kind() == Kind.REJECTED) {
        return Finding.warning(
            "the store reports no rule that removes incomplete uploads, and those of killed"
                + " processes stay until 'zerorename uploads abort' finds them, if no setting of the"
                + " store removes them: "
                + e.getMessage());
      }
      if (e.kind() != Kind.ACCESS_DENIED) {
        throw e;
      }
      String action = "s3:GetLifecycleConfiguration";
      return Finding.warning(
          action + " is denied; without it a missing or harmful rule cannot be seen",
          Remedy.grant(action, Permissions.arn(destination)));
    }
    String remedy = "; give the bucket one of 7 days (AbortIncompleteMultipartUpload)";
    if (expiry.isEmpty()) {
      return Finding.warning(
          "no lifecycle rule removes incomplete uploads, and those of killed processes cost storage"
              + " for ever"
              + remedy);
    }
    long days = expiry.get().toDays();
    return expiry.get().compareTo(SHORT) < 0
        ? Finding.wrong(
            ("a lifecycle rule removes incomplete uploads after %s days, and with them files of"
                    + " jobs that run longer%s")
                .formatted(days, remedy))
        : Finding.ok("incomplete uploads are removed after " + days + " days");
  }
}
