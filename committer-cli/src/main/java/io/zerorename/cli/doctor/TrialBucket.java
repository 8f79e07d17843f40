package io.zerorename.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * The bucket under test, and what the tests have left in it. Objects are written only below the
 * commit directory, where no reader looks.
 */
final class TrialBucket {
  /** The effect of a check's requests. */
  enum Effect {
    READS,
    /** Removes only what does not exist. */
    REMOVES_NOTHING,
    /** Writes what {@link #cleanUp} removes. */
    WRITES
  }

  /** An upload of a test. */
  record Upload(String id, List<UploadedPart> parts) {}

  /** What each object of a test holds. */
  static final byte[] CONTENT = "zerorename doctor".getBytes(UTF_8);

  private final CommitLogs logs;
  private final Path destination;
  private final Path commitDirectory;
  private final boolean readOnly;
  private final String run = UUID.randomUUID().toString();

  /** Keys of what lies in the commit directory. */
  private final List<String> objects = new ArrayList<>();

  /** Their files, by their ids. */
  private final Map<String, Path> uploads = new LinkedHashMap<>();

  private Optional<String> unreachable = Optional.empty();
  private Optional<String> reasonAgainstWriting;

  /**
   * @param destination a table's location or a job's destination
   * @param readOnly whether nothing may be written
   */
  TrialBucket(ObjectStores stores, Configuration conf, Path destination, boolean readOnly) {
    this.logs = new CommitLogs(stores, conf);
    this.destination = destination;
    this.commitDirectory = logs.of(destination).directory().getParent();
    this.readOnly = readOnly;
    this.reasonAgainstWriting =
        readOnly ? Optional.of("it is a write, and --read-only was given") : Optional.empty();
  }

  CommitLogs logs() {
    return logs;
  }

  Path destination() {
    return destination;
  }

  Path commitDirectory() {
    return commitDirectory;
  }

  /** The locations for which permissions are needed. */
  List<Path> locations() {
    return Stream.of(commitDirectory, destination).distinct().toList();
  }

  ObjectStore store(Path location) throws IOException {
    return logs.stores().forPath(location);
  }

  /** An unused key below a location, a different one for each name. */
  String key(Path location, String name) {
    String prefix = ObjectKeys.prefixOf(location);
    return location.equals(commitDirectory)
        ? prefix + "checks/_doctor-" + run + "-" + name
        : prefix + "_zerorename-doctor-" + run + "-" + name;
  }

  /** The failure of a request that may be refused for some reasons; empty where it succeeds. */
  static Optional<StoreException> refusal(
      InvocationRaisingIOE request, StoreException.Kind... expected) throws IOException {
    try {
      request.apply();
      return Optional.empty();
    } catch (StoreException e) {
      if (!Set.of(expected).contains(e.kind())) {
        throw e;
      }
      return Optional.of(e);
    }
  }

  /** A check that is skipped if the bucket cannot be reached or must not be written to. */
  Check check(String name, Effect effect, Check.Test test) {
    return new Check(
        name,
        () -> {
          Optional<String> reason = unreachable;
          if (reason.isEmpty()
              && (effect == Effect.WRITES || (effect == Effect.REMOVES_NOTHING && readOnly))) {
            reason = reasonAgainstWriting;
          }
          return reason.isPresent() ? Finding.notChecked(reason.get()) : test.run();
        });
  }

  /** Skips all later checks but the last. */
  void setUnreachable() {
    unreachable = Optional.of("the bucket cannot be reached");
  }

  /** Skips all later checks that write. */
  void refuseWrites(String reason) {
    reasonAgainstWriting = reasonAgainstWriting.or(() -> Optional.of(reason));
  }

  /** To be called before an object is written, which may be in the commit directory alone. */
  void willWrite(String key) {
    objects.add(key);
  }

  /** The store has refused the object. */
  void didNotWrite(String key) {
    objects.remove(key);
  }

  /** Begins an upload of one part. */
  Upload begin(Path location, String key) throws IOException {
    ObjectStore store = store(location);
    String id = store.createUpload(key, Map.of());
    uploads.put(id, new Path(location, "/" + key));
    return new Upload(id, List.of(store.uploadPart(key, id, 1, RepeatableBody.of(CONTENT))));
  }

  void ended(String uploadId) {
    uploads.remove(uploadId);
  }

  /** Removes what was written; to be called once, at the end. */
  Finding cleanUp() {
    List<String> left = new ArrayList<>();
    uploads.forEach(
        (id, file) -> {
          try {
            ObjectStore store = store(file);
            refusal(
                () -> store.abortUpload(ObjectKeys.of(file), id),
                StoreException.Kind.NO_SUCH_UPLOAD);
          } catch (IOException e) {
            left.add("the upload %s of %s (%s)".formatted(id, file, e.getMessage()));
          }
        });
    try {
      if (!objects.isEmpty()) {
        store(commitDirectory)
            .deleteObjects(objects)
            .forEach((key, reason) -> left.add(object(key, reason)));
      }
    } catch (IOException e) {
      objects.forEach(key -> left.add(object(key, e.getMessage())));
    }
    boolean isNothing = objects.isEmpty() && uploads.isEmpty();
    return left.isEmpty()
        ? Finding.ok(isNothing ? "nothing was written" : "what was written is removed again")
        : Finding.warning("remove by hand: " + String.join("; ", left));
  }

  private String object(String key, Object reason) {
    return new Path(commitDirectory, "/" + key) + " (" + reason + ")";
  }
}
