package io.zerorename.core.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Finds the log of a destination: {@code <commit dir>/<name>-<id>/…} in a bucket, by default beside
 * the destination, so that every later job there finds it and it outlives the cluster. It also
 * checks whether the bucket's store can keep decisions.
 */
public record CommitLogs(ObjectStores stores, Configuration conf) {
  public static final String DEFAULT_NAME = "_zerorename";

  /** Not empty: over HTTP, Ceph refuses what has no content. */
  private static final byte[] PROBE = "probe".getBytes(UTF_8);

  /**
   * Checks, for a new job, that the bucket of a destination's log can keep decisions. One request,
   * and two for the first job of all there; none where it is noted that there was one today.
   *
   * @param work the user's directory on the cluster file system, if there is one: where a good
   *     result is noted, which spares the next jobs of the day the request
   * @return the directory of that log
   * @throws IOException where no log can be kept, or no store is there for the destination
   */
  public Path check(Path destination, Optional<WorkDirectory> work) throws IOException {
    // One that no file can be written to is refused before anything is written anywhere.
    stores.forPath(destination);
    refuseAmongFiles(destination);
    Path directory = commitDirectory(destination);
    String endpoint = S3AFileSystems.endpointOf(ObjectKeys.bucketOf(directory), conf);
    UUID bucket = UUID.nameUUIDFromBytes((directory + " at " + endpoint).getBytes(UTF_8));
    String note = WorkDirectory.nameOf(bucket + "." + LocalDate.now(ZoneOffset.UTC));
    Optional<FileRecords> notes = work.map(it -> new FileRecords(it.fileSystem(), it.root()));
    if (notes.isEmpty() || notes.get().get(note).isEmpty()) {
      refuseWithoutConditions(directory, destination);
      if (notes.isPresent()) {
        notes.get().putIfAbsent(note, new byte[0]);
      }
    }
    return of(destination).directory();
  }

  /** Once an object is there, the store has to refuse another of its name. */
  private void refuseWithoutConditions(Path directory, Path destination) throws IOException {
    ObjectRecords records = new ObjectRecords(stores, directory);
    String probe = WorkDirectory.nameOf("probe");
    try {
      boolean written = records.putIfAbsent(probe, PROBE);
      // The first one of all tries it again.
      if (!written || !records.putIfAbsent(probe, PROBE)) {
        return;
      }
    } catch (StoreException e) {
      throw switch (e.kind()) {
        case ACCESS_DENIED, REJECTED, NO_SUCH_BUCKET ->
            refusal(
                directory,
                destination,
                "objects cannot be written conditionally there: " + e.getMessage(),
                e);
        default -> e;
      };
    }
    throw refusal(
        directory,
        destination,
        "the store overwrites objects in spite of If-None-Match, so that two processes could"
            + " decide differently",
        null);
  }

  private IOException refusal(Path directory, Path destination, String reason, Throwable cause) {
    return new IOException(
        ("ZR-3103: A job that writes to %s keeps its commit log in %s, and that needs conditional"
                + " PUTs: %s. Grant these credentials the right, or set %s to a directory on an S3"
                + " store that has them.")
            .formatted(destination, directory, reason, keyOf(destination)),
        cause);
  }

  /** By which another directory can be chosen. */
  private String keyOf(Path destination) {
    return CoreKeys.COMMIT_DIR.nameIn(conf, ObjectKeys.bucketOf(destination));
  }

  /** The log of a destination, whether or not it has one yet. */
  public CommitLog of(Path destination) {
    return new CommitLog(stores, new Path(commitDirectory(destination), nameOf(destination)));
  }

  /**
   * Readers would take the records for data, and an overwrite would delete them. No request.
   *
   * @throws IOException where they would lie among the destination's files
   */
  public void refuseAmongFiles(Path destination) throws IOException {
    Path directory = commitDirectory(destination);
    boolean hidden =
        directory.getName().startsWith("_") && directory.getParent().equals(destination);
    if (ObjectKeys.isAtOrBelow(destination, directory)
        || (ObjectKeys.isAtOrBelow(directory, destination) && !hidden)) {
      throw new IOException(
          ("ZR-3106: %s is %s, and neither it nor %s may lie in the other. Set it to a directory"
                  + " where no job writes.")
              .formatted(keyOf(destination), directory, destination));
    }
  }

  /** Beside the destination, where a user who may write that can most often write as well. */
  private Path commitDirectory(Path destination) {
    Optional<String> configured = CoreKeys.COMMIT_DIR.find(conf, ObjectKeys.bucketOf(destination));
    if (configured.isPresent()) {
      return new Path(configured.get());
    }
    Path parent = destination.getParent();
    return new Path(parent == null ? destination : parent, DEFAULT_NAME);
  }

  /** Readable, and another for each destination; the same by whatever scheme it is reached. */
  static String nameOf(Path destination) {
    String path = destination.toUri().getAuthority() + "/" + ObjectKeys.of(destination);
    String name = destination.getName().isEmpty() ? "root" : destination.getName();
    // A colon would make a scheme of it, and HDFS refuses one.
    return name.replaceAll("[^A-Za-z0-9_=.-]", "_")
        + "-"
        + UUID.nameUUIDFromBytes(path.getBytes(UTF_8));
  }
}
