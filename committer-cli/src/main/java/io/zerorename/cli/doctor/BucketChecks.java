package io.zerorename.cli.doctor;

import io.zerorename.cli.doctor.TrialBucket.Effect;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** Checks that a path's bucket can be reached, and can do what commits rely on. */
record BucketChecks(TrialBucket bucket, Check.Test uploadExpiry) {
  /** To be run in this order. */
  List<Check> all() {
    List<Check> checks = new ArrayList<>();
    checks.add(new Check("bucket", this::reach));
    checks.addAll(new Permissions(bucket).all());
    checks.add(bucket.check("conditional-writes", Effect.WRITES, new ConditionalWrites(bucket)));
    checks.add(
        bucket.check("abort-beside-complete", Effect.WRITES, new AbortBesideComplete(bucket)));
    checks.add(bucket.check("lifecycle-rule", Effect.READS, uploadExpiry));
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
}
