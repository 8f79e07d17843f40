package io.zerorename.cli.doctor;

import io.zerorename.cli.doctor.TrialBucket.Effect;
import io.zerorename.cli.doctor.TrialBucket.Upload;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/**
 * Checks every S3 action that the committer needs, by a request that needs it. Requests without an
 * effect come first: if S3 refuses to remove objects, nothing is written that must be removed.
 */
final class Permissions {
  /** The requests that need one permission, at one location. */
  @FunctionalInterface
  private interface Trial {
    void run(ObjectStore store, Path location) throws IOException;
  }

  private static final String NO_UPLOAD = "zerorename-doctor-no-such-upload";

  /** What S3 says where the right to the request is there, and the one to the key is missing. */
  private static final Pattern OF_A_KEY =
      Pattern.compile("perform: (kms:\\w+)(?: on resource: (\\S+))?");

  private final TrialBucket bucket;
  private final List<String> written = new ArrayList<>();
  private boolean mayList = true;

  Permissions(TrialBucket bucket) {
    this.bucket = bucket;
  }

  List<Check> all() {
    return List.of(
        check(
            "s3:ListBucket",
            Outcome.WRONG,
            "INSERT OVERWRITE cannot see old files, and interrupted commits are not found",
            Effect.READS,
            this::list),
        check(
            "s3:DeleteObject",
            Outcome.WRONG,
            "INSERT OVERWRITE leaves the old files beside the new ones, and records stay",
            Effect.REMOVES_NOTHING,
            this::deleteNothing),
        check(
            "s3:AbortMultipartUpload",
            Outcome.WRONG,
            "uploads of failed queries and jobs stay, and cost storage",
            Effect.REMOVES_NOTHING,
            (store, location) -> ofNoUpload(() -> store.abortUpload(absent(location), NO_UPLOAD))),
        check(
            "s3:PutObject",
            Outcome.WRONG,
            "no file can be written and no commit decided",
            Effect.WRITES,
            this::write),
        check(
            "s3:GetObject",
            Outcome.WRONG,
            "the commit log cannot be read, and no interrupted commit can be resumed",
            Effect.READS,
            this::get),
        check(
            "s3:ListMultipartUploadParts",
            Outcome.WARNING,
            "the committer cannot see before a commit whether an upload still exists, and whether"
                + " an aborted one has parts left",
            Effect.READS,
            (store, location) -> ofNoUpload(() -> store.listParts(absent(location), NO_UPLOAD))),
        check(
            "s3:ListBucketMultipartUploads",
            Outcome.WARNING,
            "a commit cannot list its uploads, and is damaged if another committer has aborted"
                + " them; uploads of killed writers stay until the bucket's lifecycle rule removes"
                + " them, and zerorename uploads shows nothing",
            Effect.READS,
            (store, location) -> ask(store.listUploads(bucket.key(location, "uploads")))));
  }

  private Check check(String action, Outcome ifDenied, String without, Effect effect, Trial trial) {
    return bucket.check(action, effect, () -> find(action, ifDenied, without, effect, trial));
  }

  private Finding find(
      String action, Outcome ifDenied, String without, Effect effect, Trial trial) {
    Set<String> grants = new LinkedHashSet<>();
    List<String> failures = new ArrayList<>();
    boolean refused = false;
    for (Path location : bucket.locations()) {
      try {
        trial.run(bucket.store(location), location);
      } catch (IOException e) {
        if (e instanceof StoreException store && store.kind() == Kind.ACCESS_DENIED) {
          grants.add(grant(action, location, store));
        } else {
          refused |= e instanceof StoreException store && store.kind() == Kind.REJECTED;
          failures.add(String.valueOf(e.getMessage()));
        }
      }
    }
    if (effect == Effect.REMOVES_NOTHING && (refused || !grants.isEmpty())) {
      bucket.refuseWrites("what it writes could not be removed without " + action);
    }
    String failed = String.join("; ", failures);
    if (!grants.isEmpty()) {
      return new Finding(
          ifDenied,
          "denied; without it " + without + (failed.isEmpty() ? "" : "; also failed: " + failed),
          List.copyOf(grants));
    }
    if (refused) {
      return new Finding(ifDenied, "failed; without it " + without + ": " + failed, List.of());
    }
    return failures.isEmpty() ? Finding.ok("allowed") : Finding.notChecked(failed);
  }

  private static String grant(String action, Path location, StoreException denied) {
    Matcher ofKey = OF_A_KEY.matcher(String.valueOf(denied.getMessage()));
    if (ofKey.find()) {
      String key = ofKey.group(2) == null ? "the KMS key that the bucket uses" : ofKey.group(2);
      return "grant %s on %s".formatted(ofKey.group(1), key);
    }
    boolean ofBucket = action.startsWith("s3:ListBucket");
    return grant(action, location, ofBucket ? "" : "/" + ObjectKeys.prefixOf(location) + "*");
  }

  /**
   * The remedy that grants a permission.
   *
   * @param action as an IAM policy names it
   * @param objects of the path's bucket, after its ARN
   */
  static String grant(String action, Path path, String objects) {
    return "grant %s on arn:aws:s3:::%s%s".formatted(action, path.toUri().getAuthority(), objects);
  }

  private void list(ObjectStore store, Path location) throws IOException {
    boolean listed = false;
    try {
      ask(store.listObjects(ObjectKeys.prefixOf(location)));
      listed = true;
    } finally {
      mayList &= listed;
    }
  }

  /** One request, whose answer does not matter. */
  private static boolean ask(RemoteIterator<?> listing) throws IOException {
    return listing.hasNext();
  }

  /**
   * Sends a request for an upload that does not exist. A store may take its id for no id at all,
   * and tell neither whether it does such requests nor whether it allows them.
   */
  private static void ofNoUpload(InvocationRaisingIOE request) throws IOException {
    try {
      TrialBucket.refusal(request, Kind.NO_SUCH_UPLOAD);
    } catch (StoreException e) {
      if (e.getCause() instanceof AwsServiceException answer && answer.statusCode() == 400) {
        throw new NotChecked(
            "the store answers nothing of an upload that it has not made: " + e.getMessage());
      }
      throw e;
    }
  }

  private void deleteNothing(ObjectStore store, Path location) throws IOException {
    String key = absent(location);
    Refusal refusal = store.deleteObjects(List.of(key)).get(key);
    if (refusal != null) {
      throw new StoreException(
          refusal.reason().contains("AccessDenied") ? Kind.ACCESS_DENIED : Kind.REJECTED,
          "ZR-9302: DeleteObjects of " + key + " failed: " + refusal);
    }
  }

  /** In the destination the upload is aborted, because readers would see its file. */
  private void write(ObjectStore store, Path location) throws IOException {
    boolean complete = location.equals(bucket.commitDirectory());
    if (complete) {
      put(store, location);
    }
    String key = bucket.key(location, "upload");
    Upload upload = bucket.begin(location, key);
    if (complete) {
      bucket.willWrite(key);
      store.completeUpload(key, upload.id(), upload.parts());
      written.add(key);
    } else {
      store.abortUpload(key, upload.id());
    }
    bucket.ended(upload.id());
  }

  private void put(ObjectStore store, Path location) throws IOException {
    String key = bucket.key(location, "object");
    bucket.willWrite(key);
    try {
      store.putObject(key, RepeatableBody.of(TrialBucket.CONTENT), Map.of());
      written.add(key);
    } catch (StoreException e) {
      if (e.kind() == Kind.ACCESS_DENIED) {
        bucket.didNotWrite(key);
        bucket.refuseWrites("it needs s3:PutObject, which is denied");
      }
      throw e;
    }
  }

  /**
   * Reads what was written, in the commit directory: the destination has no object of the
   * committer.
   */
  private void get(ObjectStore store, Path location) throws IOException {
    if (!location.equals(bucket.commitDirectory())) {
      return;
    }
    if (written.isEmpty() && !mayList) {
      throw new NotChecked(
          "there is no object to read, and without s3:ListBucket S3 denies access to objects that do"
              + " not exist; run doctor without --read-only, or grant s3:ListBucket");
    }
    if (written.isEmpty()) {
      TrialBucket.refusal(() -> store.getObject(absent(location)), Kind.NOT_FOUND);
    }
    for (String key : written) {
      byte[] content = store.getObject(key);
      if (!Arrays.equals(content, TrialBucket.CONTENT)) {
        throw new StoreException(
            Kind.REJECTED,
            ("ZR-9305: %s was written with %s bytes and read back with %s bytes that are not the"
                    + " same: this store damages what S3A sends; do not use it")
                .formatted(
                    new Path(location, "/" + key), TrialBucket.CONTENT.length, content.length));
      }
    }
  }

  private String absent(Path location) {
    return bucket.key(location, "absent");
  }
}
