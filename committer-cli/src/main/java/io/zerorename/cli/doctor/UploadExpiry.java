package io.zerorename.cli.doctor;

import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.store.audit.AuditSpan;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.AbortIncompleteMultipartUpload;
import software.amazon.awssdk.services.s3.model.ExpirationStatus;
import software.amazon.awssdk.services.s3.model.LifecycleRule;
import software.amazon.awssdk.services.s3.model.LifecycleRuleFilter;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Whether the bucket's lifecycle rules remove incomplete uploads below a destination, and not too
 * early. S3 removes them at the midnight (UTC) that follows the days of a rule, which it counts
 * from the Create. S3A has no request for it, so that its client is used as it is.
 *
 * @param conf S3A's settings
 */
record UploadExpiry(Configuration conf, Path destination) implements Check.Test {
  private static final String ACTION = "s3:GetLifecycleConfiguration";

  /** Shorter rules can remove the uploads of a job that runs over a weekend. */
  private static final int SHORT_DAYS = 3;

  @Override
  public Finding run() throws IOException {
    try (FileSystem fileSystem = FileSystem.newInstance(destination.toUri(), conf);
        AuditSpan span =
            ((S3AFileSystem) fileSystem)
                .createSpan("zerorename.lifecycle", destination.toString(), null)) {
      span.activate();
      S3Client client =
          ((S3AFileSystem) fileSystem).getS3AInternals().getAmazonS3Client("lifecycle rules");
      List<LifecycleRule> rules =
          client
              .getBucketLifecycleConfiguration(it -> it.bucket(ObjectKeys.bucketOf(destination)))
              .rules();
      // A bucket without rules is an error for S3. A store that does not know the parameter lists
      // the bucket.
      return rules.isEmpty()
          ? noRules(
              "its answer to ?lifecycle has no rules in it, as if it did not know the request")
          : of(rules);
    } catch (S3Exception e) {
      return ofFailure(e);
    }
  }

  private Finding ofFailure(S3Exception failure) {
    int status = failure.statusCode();
    if (status == 403) {
      return Finding.warning(
          ACTION + " is denied; without it a missing or harmful rule cannot be seen",
          Permissions.grant(ACTION, destination, ""));
    }
    if (failure.awsErrorDetails() != null
        && "NoSuchLifecycleConfiguration".equals(failure.awsErrorDetails().errorCode())) {
      return of(List.of());
    }
    if (status == 501 || (status >= 400 && status < 500)) {
      return noRules(
          "its lifecycle configuration cannot be read at "
              + destination
              + ": "
              + failure.getMessage());
    }
    throw failure;
  }

  /** MinIO takes rules for uploads, and drops them. */
  static Finding ofMinio() {
    return noRules(
        "MinIO has no lifecycle rules for incomplete uploads. It removes those that are older than"
            + " its setting stale_uploads_expiry, which is 24 hours by default and cannot be read"
            + " by clients. Set it to 168h, so that a commit that is interrupted over a weekend"
            + " loses no files");
  }

  private static Finding noRules(String reason) {
    return Finding.warning(
        "the store reports no rule that removes incomplete uploads, and those of killed processes"
            + " stay until 'zerorename uploads --abort' finds them, if no setting of the store removes"
            + " them: "
            + reason);
  }

  private Finding of(List<LifecycleRule> rules) {
    String remedy = "; give the bucket one of 7 days (AbortIncompleteMultipartUpload)";
    Optional<Integer> days =
        rules.stream()
            .filter(rule -> rule.status() == ExpirationStatus.ENABLED)
            .filter(rule -> mayApply(prefixOf(rule)))
            .map(LifecycleRule::abortIncompleteMultipartUpload)
            .filter(Objects::nonNull)
            .map(AbortIncompleteMultipartUpload::daysAfterInitiation)
            .filter(Objects::nonNull)
            .min(Integer::compare);
    if (days.isEmpty()) {
      return Finding.warning(
          "no lifecycle rule removes incomplete uploads, and those of killed processes cost storage"
              + " for ever"
              + remedy);
    }
    return days.get() < SHORT_DAYS
        ? Finding.wrong(
            ("a lifecycle rule removes incomplete uploads after %s days, and with them files of"
                    + " jobs that run longer%s")
                .formatted(days.get(), remedy))
        : Finding.ok("incomplete uploads are removed after " + days.get() + " days");
  }

  /** Whether a key below the destination can have this prefix; without one, a rule is for all. */
  private boolean mayApply(String prefix) {
    String below = ObjectKeys.prefixOf(destination);
    return prefix == null || prefix.startsWith(below) || below.startsWith(prefix);
  }

  /** S3 refuses rules for incomplete uploads that ask for tags or sizes. */
  @SuppressWarnings("deprecation") // rules of before there were filters
  private static String prefixOf(LifecycleRule rule) {
    LifecycleRuleFilter filter = rule.filter();
    if (filter == null) {
      return rule.prefix();
    }
    return filter.and() == null ? filter.prefix() : filter.and().prefix();
  }
}
