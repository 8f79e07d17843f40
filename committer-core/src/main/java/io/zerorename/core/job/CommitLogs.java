package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Finds the log of a destination: {@code <commit dir>/<name>-<id>/…} in a bucket, by default beside
 * the destination, so that every later job there finds it and it outlives the cluster.
 */
public final class CommitLogs {
  public static final String DEFAULT_NAME = "_zerorename";

  private final ObjectStores stores;
  private final Configuration conf;
  private Optional<DailyMaintenance> due = Optional.empty();

  public CommitLogs(ObjectStores stores, Configuration conf) {
    this.stores = requireNonNull(stores, "stores");
    this.conf = requireNonNull(conf, "conf");
  }

  /**
   * The directory of the log for a new job. No request or one, and one more for the first job of a
   * day: {@link #due} is what the job does not wait for.
   *
   * @param work the user's directory on the cluster file system, if there is one: where it is noted
   *     that the store can keep a log, which spares the next jobs of the day the request
   * @throws IOException where no log can be kept, or no store is there for the destination
   */
  public Path choose(Path destination, Optional<WorkDirectory> work) throws IOException {
    // One that no file can be written to is refused before anything is written anywhere.
    stores.forPath(destination);
    refuseAmongFiles(destination);
    Path directory = commitDirectory(destination);
    due =
        new CommitDirectoryCheck(
                stores,
                directory,
                destination,
                CoreKeys.COMMIT_DIR.nameIn(conf, ObjectKeys.bucketOf(destination)),
                S3AFileSystems.endpointOf(ObjectKeys.bucketOf(directory), conf))
            .run(work.map(WorkDirectory::records));
    return of(destination).directory();
  }

  /**
   * What {@link #choose} has left to be done after the job, if that is the first one of the day.
   */
  public Optional<DailyMaintenance> due() {
    return due;
  }

  /** The log of a destination, whether or not it has one yet. */
  public CommitLog of(Path destination) {
    return CommitLog.inBucket(stores, new Path(commitDirectory(destination), nameOf(destination)));
  }

  /**
   * Readers would take the records for data, and an overwrite would delete them. No request.
   *
   * @throws IOException where they would lie among the destination's files
   */
  public void refuseAmongFiles(Path destination) throws IOException {
    Path directory = commitDirectory(destination);
    String records = ObjectKeys.prefixOf(directory);
    String files = ObjectKeys.prefixOf(destination);
    boolean hidden =
        directory.getName().startsWith("_") && directory.getParent().equals(destination);
    if (Objects.equals(destination.toUri().getAuthority(), directory.toUri().getAuthority())
        && (files.startsWith(records) || (records.startsWith(files) && !hidden))) {
      throw new IOException(
          ("ZR-3106: %s is %s, and neither it nor %s may lie in the other. Set it to a directory"
                  + " where no job writes.")
              .formatted(
                  CoreKeys.COMMIT_DIR.nameIn(conf, ObjectKeys.bucketOf(destination)),
                  directory,
                  destination));
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
        + UUID.nameUUIDFromBytes(path.getBytes(StandardCharsets.UTF_8));
  }
}
