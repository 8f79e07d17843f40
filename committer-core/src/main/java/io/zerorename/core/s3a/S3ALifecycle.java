package io.zerorename.core.s3a;

import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.AbortIncompleteMultipartUpload;
import software.amazon.awssdk.services.s3.model.ExpirationStatus;
import software.amazon.awssdk.services.s3.model.GetBucketLifecycleConfigurationResponse;
import software.amazon.awssdk.services.s3.model.LifecycleRule;
import software.amazon.awssdk.services.s3.model.LifecycleRuleFilter;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Reads from a bucket's lifecycle rules how long an upload may stay incomplete. */
record S3ALifecycle(S3Client client, S3ARequests requests, S3ACalls calls) {
  /** The shortest time of all rules that apply to any key that starts with a prefix. */
  Optional<Duration> uploadsExpireAfter(String prefix) throws IOException {
    return calls.send("GetBucketLifecycleConfiguration", prefix, this::rules).stream()
        .filter(rule -> rule.status() == ExpirationStatus.ENABLED)
        .filter(rule -> mayApplyTo(prefix, rule))
        .map(LifecycleRule::abortIncompleteMultipartUpload)
        .filter(Objects::nonNull)
        .map(AbortIncompleteMultipartUpload::daysAfterInitiation)
        .filter(Objects::nonNull)
        .min(Integer::compare)
        .map(Duration::ofDays);
  }

  private List<LifecycleRule> rules() throws StoreException {
    try {
      GetBucketLifecycleConfigurationResponse answer =
          client.getBucketLifecycleConfiguration(requests.lifecycle());
      refuseMinio(answer.sdkHttpResponse());
      return answer.rules();
    } catch (S3Exception e) {
      if (e.awsErrorDetails() != null
          && "NoSuchLifecycleConfiguration".equals(e.awsErrorDetails().errorCode())) {
        refuseMinio(e.awsErrorDetails().sdkHttpResponse());
        return List.of();
      }
      throw e;
    }
  }

  /** MinIO takes rules for uploads, and drops them. */
  private void refuseMinio(SdkHttpResponse answer) throws StoreException {
    if (S3AListings.isOfMinio(answer)) {
      throw new StoreException(
          Kind.REJECTED,
          "ZR-4117: MinIO has no lifecycle rules for incomplete uploads. It removes those that are"
              + " older than its setting stale_uploads_expiry, which is 24 hours by default and"
              + " cannot be read by clients. Set it to 168h, so that a commit that is interrupted"
              + " over a weekend loses no files");
    }
  }

  private static boolean mayApplyTo(String prefix, LifecycleRule rule) {
    LifecycleRuleFilter filter = rule.filter();
    if (filter == null) {
      return overlap(prefix, outdatedPrefixOf(rule));
    }
    // S3 refuses rules for incomplete uploads that ask for tags or sizes.
    return overlap(prefix, filter.and() == null ? filter.prefix() : filter.and().prefix());
  }

  /** Where rules that were made before there were filters name their prefix. */
  @SuppressWarnings("deprecation")
  private static String outdatedPrefixOf(LifecycleRule rule) {
    return rule.prefix();
  }

  /** Whether a key can start with both; a rule without a prefix is for all keys. */
  private static boolean overlap(String prefix, String ofRule) {
    return ofRule == null || ofRule.startsWith(prefix) || prefix.startsWith(ofRule);
  }
}
