package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.zerorename.cli.doctor.PermissionCheck.Effect;
import io.zerorename.cli.doctor.PermissionCheck.Resource;
import io.zerorename.cli.doctor.PermissionCheck.Trial;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Every action of S3 that the committer needs. What can be tried without an effect comes first:
 * where S3 refuses to remove something, nothing is written that would have to be removed.
 */
final class Permissions {
  private static final byte[] CONTENT = "zerorename doctor".getBytes(StandardCharsets.UTF_8);
  private static final String NO_UPLOAD = "zerorename-doctor-no-such-upload";

  private final TrialBucket bucket;
  private final Path commits;
  private final Path destination;
  private boolean mayList = true;

  Permissions(TrialBucket bucket) {
    this.bucket = requireNonNull(bucket, "bucket");
    this.commits = bucket.commitDirectory();
    this.destination = bucket.destination();
  }

  List<Check> all() {
    return List.of(
        new Check("s3:ListBucket", this::list),
        check(
            "s3:DeleteObject",
            Resource.OBJECTS,
            Outcome.WRONG,
            "INSERT OVERWRITE leaves the old files beside the new ones, and records stay",
            Effect.REMOVES_NOTHING,
            Permissions::deleteNothing,
            commits,
            destination),
        check(
            "s3:AbortMultipartUpload",
            Resource.OBJECTS,
            Outcome.WRONG,
            "uploads of failed queries and jobs stay, and cost storage",
            Effect.REMOVES_NOTHING,
            Permissions::abortNothing,
            commits,
            destination),
        check(
            "s3:PutObject",
            Resource.OBJECTS,
            Outcome.WRONG,
            "no file can be written and no commit decided",
            Effect.WRITES,
            Permissions::put,
            commits),
        check(
            "s3:GetObject",
            Resource.OBJECTS,
            Outcome.WRONG,
            "the commit log cannot be read, and no interrupted commit can be resumed",
            Effect.READS,
            this::get,
            commits),
        new Check("multipart-upload", this::multipart),
        check(
            "s3:ListMultipartUploadParts",
            Resource.OBJECTS,
            Outcome.WARNING,
            "nobody sees whether an aborted upload has parts left",
            Effect.READS,
            Permissions::listParts,
            commits,
            destination),
        check(
            "s3:ListBucketMultipartUploads",
            Resource.BUCKET,
            Outcome.WARNING,
            "uploads of killed writers stay until the bucket's lifecycle rule removes them, and"
                + " zerorename uploads shows nothing",
            Effect.READS,
            (it, store, place) -> store.listUploads(it.key(place, "uploads")).hasNext(),
            commits,
            destination),
        check(
            "s3:GetLifecycleConfiguration",
            Resource.BUCKET,
            Outcome.WARNING,
            "nobody warns of a lifecycle rule that endangers running jobs, or of the lack of one",
            Effect.READS,
            (it, store, place) -> store.uploadsExpireAfter(ObjectKeys.prefixOf(place)),
            destination));
  }

  private Check check(
      String action,
      Resource resource,
      Outcome ifDenied,
      String without,
      Effect effect,
      Trial trial,
      Path... places) {
    PermissionCheck check =
        new PermissionCheck(bucket, action, resource, ifDenied, without, effect, trial);
    return new Check(action, () -> check.find(places));
  }

  private Finding list() {
    Finding finding =
        new PermissionCheck(
                bucket,
                "s3:ListBucket",
                Resource.BUCKET,
                Outcome.WRONG,
                "INSERT OVERWRITE cannot see old files, and broken-off commits are not found",
                Effect.READS,
                (it, store, place) -> store.listObjects(ObjectKeys.prefixOf(place)).hasNext())
            .find(commits, destination);
    mayList = finding.outcome() == Outcome.OK;
    return finding;
  }

  private static void deleteNothing(TrialBucket bucket, ObjectStore store, Path place)
      throws IOException {
    String key = bucket.key(place, "absent");
    String refusal = store.deleteObjects(List.of(key)).getOrDefault(key, "");
    if (!refusal.isEmpty()) {
      throw new StoreException(
          refusal.contains("AccessDenied") ? Kind.ACCESS_DENIED : Kind.REJECTED,
          "DeleteObjects of " + key + " failed: " + refusal);
    }
  }

  private static void abortNothing(TrialBucket bucket, ObjectStore store, Path place)
      throws IOException {
    try {
      store.abortUpload(bucket.key(place, "absent"), NO_UPLOAD);
    } catch (StoreException e) {
      tolerate(Kind.NO_SUCH_UPLOAD, e);
    }
  }

  private static void put(TrialBucket bucket, ObjectStore store, Path place) throws IOException {
    String key = bucket.key(place, "object");
    bucket.willWrite(place, key);
    try {
      store.putObject(key, PartBody.of(CONTENT), Map.of());
    } catch (StoreException e) {
      if (e.kind() == Kind.ACCESS_DENIED) {
        bucket.notWritten(key);
        bucket.refuseWrites("it needs s3:PutObject, which is denied");
      }
      throw e;
    }
  }

  private void get(TrialBucket trial, ObjectStore store, Path place) throws IOException {
    Optional<String> written = trial.written(place);
    if (written.isEmpty() && !mayList) {
      throw new StoreException(
          Kind.REJECTED,
          "no object could be written to be read, and without s3:ListBucket S3 denies whatever does"
              + " not exist");
    }
    try {
      store.getObject(written.orElseGet(() -> trial.key(place, "absent")));
    } catch (StoreException e) {
      tolerate(Kind.NOT_FOUND, e);
    }
  }

  private static void listParts(TrialBucket bucket, ObjectStore store, Path place)
      throws IOException {
    try {
      store.listParts(bucket.key(place, "absent"), NO_UPLOAD);
    } catch (StoreException e) {
      tolerate(Kind.NO_SUCH_UPLOAD, e);
    }
  }

  /** In the destination an upload is begun and given up, because readers would see its file. */
  private Finding multipart() {
    return new PermissionCheck(
            bucket,
            "s3:PutObject",
            Resource.OBJECTS,
            Outcome.WRONG,
            "no upload can be begun, filled and completed, and no file written",
            Effect.WRITES,
            this::upload)
        .find(commits, destination);
  }

  private void upload(TrialBucket trial, ObjectStore store, Path place) throws IOException {
    String key = trial.key(place, "upload");
    String id = store.createUpload(key, Map.of());
    trial.began(place, key, id);
    UploadedPart part = store.uploadPart(key, id, 1, PartBody.of(CONTENT));
    if (place.equals(commits)) {
      trial.willWrite(place, key);
      store.completeUpload(key, id, List.of(part));
    } else {
      store.abortUpload(key, id);
    }
    trial.ended(id);
  }

  private static void tolerate(Kind expected, StoreException failure) throws StoreException {
    if (failure.kind() != expected) {
      throw failure;
    }
  }
}
