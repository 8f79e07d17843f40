package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the log of a destination.
 *
 * <pre>
 * &lt;commit dir&gt;/&lt;name&gt;-&lt;id&gt;/…        in a bucket, by default beside the destination
 * &lt;work dir&gt;/commits/&lt;name&gt;-&lt;id&gt;/…   where that store cannot keep decisions
 * </pre>
 *
 * A log beside the destination is found by every later job there, and outlives the cluster.
 */
public final class CommitLogs {
  private static final Logger LOG = LoggerFactory.getLogger(CommitLogs.class);
  public static final String DEFAULT_NAME = "_zerorename";

  private final ObjectStores stores;
  private final Configuration conf;
  private final Optional<WorkDirectory> work;
  private Optional<DailyMaintenance> due = Optional.empty();

  /**
   * @param work the user's directory on the cluster file system, if there is one
   */
  public CommitLogs(ObjectStores stores, Configuration conf, Optional<WorkDirectory> work) {
    this.stores = requireNonNull(stores, "stores");
    this.conf = requireNonNull(conf, "conf");
    this.work = requireNonNull(work, "work");
  }

  /**
   * The directory of the log for a new job. It must be passed on to every process that commits the
   * job, because another check may have another result. One or two requests, and a listing on the
   * cluster file system: {@link #due} is what the job does not wait for.
   *
   * @throws IOException where no log can be kept, or no store is there for the destination
   */
  public Path choose(Path destination) throws IOException {
    // One that no file can be written to is refused before anything is written anywhere.
    stores.forPath(destination);
    refuseAmongFiles(destination);
    Path directory = commitDirectory(destination);
    CommitDirectoryCheck check = new CommitDirectoryCheck(stores, directory, work);
    Optional<String> reason = check.reasonAgainst();
    due = check.due();
    if (reason.isEmpty()) {
      refuseBesideOpenLog(destination);
      return inBucket(destination);
    }
    String advice =
        reason.get() + " Set " + CoreKeys.COMMIT_DIR.name() + " to a directory on S3 that can.";
    if (work.isEmpty()) {
      throw new IOException(
          ("ZR-3103: No decision about a job that writes to %s can be kept: %s Or set %s to a"
                  + " directory on HDFS.")
              .formatted(destination, advice, CoreKeys.WORK_DIR.name()));
    }
    refuseBesideLog(destination, advice);
    LOG.warn(
        "ZR-3104: Decisions about {} are kept on the cluster file system, and are lost with it: {}",
        destination,
        advice);
    return onFileSystem(destination).get();
  }

  /**
   * What {@link #choose} has left to be done after the job, if that is the first one of the day.
   */
  public Optional<DailyMaintenance> due() {
    return due;
  }

  /** The log in a directory that {@link #choose} returned. */
  public CommitLog at(Path directory) throws IOException {
    return S3AFileSystems.holds(directory, conf)
        ? CommitLog.inBucket(stores, directory)
        : CommitLog.onFileSystem(directory.getFileSystem(conf), directory);
  }

  /** The directory of a destination's log on S3, whether or not the store can keep it. */
  public Path inBucket(Path destination) {
    return new Path(commitDirectory(destination), nameOf(destination));
  }

  /** Two logs of one destination would know nothing of each other. */
  private void refuseBesideLog(Path destination, String advice) throws IOException {
    CommitLog there = CommitLog.inBucket(stores, inBucket(destination));
    long entries;
    try {
      entries = there.tail().highest();
    } catch (StoreException e) {
      throw new IOException(
          ("ZR-3121: Whether %s has a commit log, %s, cannot be seen: %s So none may be kept"
                  + " elsewhere, which is needed because: %s")
              .formatted(destination, there.location(), ErrorText.of(e), advice),
          e);
    }
    if (entries > 0) {
      throw new IOException(
          "ZR-3105: %s has a commit log, %s, and that cannot be written now: %s"
              .formatted(destination, there.location(), advice));
    }
  }

  /**
   * The same the other way round: rights that were missing are there now. It is looked at for each
   * job, because one that began without them may have been decided since.
   */
  private void refuseBesideOpenLog(Path destination) throws IOException {
    if (work.isEmpty()) {
      return;
    }
    Path directory = onFileSystem(destination).orElseThrow();
    CommitLog there = CommitLog.onFileSystem(work.get().fileSystem(), directory);
    if (!there.tail().notQuiet().isEmpty()) {
      throw new IOException(
          ("ZR-3122: Decisions about %s were kept on the cluster file system, in %s, and such a"
                  + " commit has not ended, or ended a moment ago. No log may be begun in the bucket"
                  + " before. Run: zerorename recover %s. After a crash run this job again %s minutes"
                  + " later.")
              .formatted(
                  destination, directory, destination, LogTail.LONGEST_NOISE.toMinutes() + 1));
    }
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

  /** The directory of a destination's log on the cluster file system, if there is one. */
  public Optional<Path> onFileSystem(Path destination) {
    return work.map(directory -> new Path(directory.commits(), nameOf(destination)));
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
