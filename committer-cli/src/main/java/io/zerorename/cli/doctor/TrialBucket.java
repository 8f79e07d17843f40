package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Where requests are tried, and what of them is to be removed again: objects only below the commit
 * directory, where no reader looks, under names that the committer's daily clean-up removes as
 * well.
 */
final class TrialBucket {
  /** An object or upload that the trials have made. */
  private record Made(Path place, String key) {}

  private final ObjectStores stores;
  private final Path destination;
  private final Path commitDirectory;
  private final boolean readOnly;
  private final String run = UUID.randomUUID().toString();
  private final List<Made> objects = new ArrayList<>();
  private final Map<String, Made> uploads = new LinkedHashMap<>();
  private Optional<String> unreachable = Optional.empty();
  private Optional<String> reasonAgainstWriting;

  /**
   * @param destination a table's location or a job's destination
   * @param readOnly whether nothing may be written
   */
  TrialBucket(ObjectStores stores, Configuration conf, Path destination, boolean readOnly) {
    this.stores = requireNonNull(stores, "stores");
    this.destination = requireNonNull(destination, "destination");
    this.commitDirectory =
        new CommitLogs(stores, conf, Optional.empty()).inBucket(destination).getParent();
    this.readOnly = readOnly;
    this.reasonAgainstWriting =
        readOnly ? Optional.of("it is a write, and --read-only was given") : Optional.empty();
  }

  Path destination() {
    return destination;
  }

  Path commitDirectory() {
    return commitDirectory;
  }

  boolean isReadOnly() {
    return readOnly;
  }

  /** The store of a place. */
  ObjectStore store(Path place) throws IOException {
    return stores.forPath(place);
  }

  /** A key below a place under which nothing is; it is another for each name. */
  String key(Path place, String name) {
    String prefix = ObjectKeys.prefixOf(place);
    return place.equals(commitDirectory)
        ? prefix + "checks/" + LocalDate.now(ZoneOffset.UTC) + ".doctor-" + run + "-" + name
        : prefix + "_zerorename-doctor-" + run + "-" + name;
  }

  /** No request gets through, so that none need be tried. */
  void giveUp(String reason) {
    unreachable = Optional.of(reason);
  }

  /** Why no request need be tried. */
  Optional<String> unreachable() {
    return unreachable;
  }

  /** What is written from now on could not be removed. */
  void refuseWrites(String reason) {
    if (reasonAgainstWriting.isEmpty()) {
      reasonAgainstWriting = Optional.of(reason);
    }
  }

  /** Why nothing may be written. */
  Optional<String> reasonAgainstWriting() {
    return reasonAgainstWriting;
  }

  /** To be called before an object is written. */
  void willWrite(Path place, String key) {
    objects.add(new Made(place, key));
  }

  /** Whether an object was written. */
  Optional<String> written(Path place) {
    return objects.stream().filter(made -> made.place().equals(place)).map(Made::key).findFirst();
  }

  /** An object of which it is known that it was not written. */
  void notWritten(String key) {
    objects.removeIf(made -> made.key().equals(key));
  }

  void began(Path place, String key, String uploadId) {
    uploads.put(uploadId, new Made(place, key));
  }

  void ended(String uploadId) {
    uploads.remove(uploadId);
  }

  /** Removes what was made; to be called once, at the end. */
  Finding cleanUp() {
    List<String> left = new ArrayList<>();
    int made = objects.size() + uploads.size();
    uploads.forEach(
        (id, upload) -> {
          try {
            store(upload.place()).abortUpload(upload.key(), id);
          } catch (IOException e) {
            if (!(e instanceof StoreException known)
                || known.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
              left.add("the upload " + id + " of " + where(upload) + " (" + e.getMessage() + ")");
            }
          }
        });
    for (Made object : objects) {
      try {
        store(object.place())
            .deleteObjects(List.of(object.key()))
            .forEach((key, reason) -> left.add(where(object) + " (" + reason + ")"));
      } catch (IOException e) {
        left.add(where(object) + " (" + e.getMessage() + ")");
      }
    }
    return left.isEmpty()
        ? Finding.ok(made == 0 ? "nothing was written" : "what was written is removed again")
        : Finding.warning("remove by hand: " + String.join("; ", left));
  }

  private static String where(Made made) {
    return new Path(made.place(), "/" + made.key()).toString();
  }
}
