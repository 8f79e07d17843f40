package io.zerorename.spark.checkpoint;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The files of a checkpoint directory on S3A, or of one of the logs in it. A file appears complete
 * or not at all, by one request to its final key. S3 has no directories: one that is made here is
 * remembered by this object, and costs no request. May be used by several threads.
 */
public final class CheckpointFiles implements Closeable {
  /**
   * The log of a file sink, beside its files. Readers of these ask Hadoop's file system for it,
   * also before the first batch has ended.
   */
  private static final String SINK_LOG = "_spark_metadata";

  /** Files of state stores, and checkpoints of a DStream, whose times have 13 digits. */
  private static final Pattern FILE =
      Pattern.compile(
          "\\d+(_[^/]*)?\\.(delta|snapshot|changelog|zip)(\\.crc)?|checkpoint-\\d{12,}(\\.bk)?");

  private final Path directory;
  private final Configuration conf;
  private final FileSystem fileSystem;
  private final S3AObjectStores stores;

  /** Directories that were made here, and that S3 does not know of while nothing is in them. */
  private final Set<Path> made = ConcurrentHashMap.newKeySet();

  /** Whether files were written here that are named by numbers, as the batches of a log are. */
  private volatile boolean batchLog;

  /**
   * Sends no request.
   *
   * @param directory on S3A; other paths in its bucket may be used as well
   */
  public CheckpointFiles(Path directory, Configuration conf) throws IOException {
    this.conf = requireNonNull(conf, "conf");
    this.fileSystem = directory.getFileSystem(conf);
    this.directory = fileSystem.makeQualified(directory);
    this.stores = new S3AObjectStores(conf);
  }

  /**
   * Begins a file, which {@link CheckpointOutput#close} makes visible.
   *
   * @param overwrite whether it may replace a file; if not, and there is one, closing fails with
   *     {@link org.apache.hadoop.fs.FileAlreadyExistsException}
   */
  public CheckpointOutput create(Path path, boolean overwrite) throws IOException {
    Path file = fileSystem.makeQualified(path);
    if (!overwrite) {
      batchLog |= isNumberInDirectory(file);
    }
    return new CheckpointOutput(file, overwrite, true, stores, conf);
  }

  /**
   * Begins a file that may take the place of another one, and is replaced by none before it, also
   * where a request arrives late: it is an upload, however small.
   */
  public CheckpointOutput replace(Path path) throws IOException {
    return new CheckpointOutput(fileSystem.makeQualified(path), true, false, stores, conf);
  }

  /** Opens a file for reading. */
  public FSDataInputStream open(Path path) throws IOException {
    return fileSystem.open(path);
  }

  /**
   * The files and directories in a directory.
   *
   * @throws FileNotFoundException where nothing is, and no directory was made here
   */
  public FileStatus[] list(Path path, PathFilter filter) throws IOException {
    Path listed = fileSystem.makeQualified(path);
    List<FileStatus> found;
    try {
      found = new ArrayList<>(List.of(fileSystem.listStatus(listed, filter)));
    } catch (FileNotFoundException e) {
      if (!made.contains(listed)) {
        throw e;
      }
      found = new ArrayList<>();
    }
    for (Path child : made) {
      if (listed.equals(child.getParent())
          && filter.accept(child)
          && found.stream().noneMatch(it -> it.getPath().equals(child))) {
        found.add(emptyDirectory(child));
      }
    }
    return found.toArray(FileStatus[]::new);
  }

  /**
   * A file, or a directory with something in it or one that was made here.
   *
   * @throws FileNotFoundException where nothing is, and no directory was made here
   */
  public FileStatus status(Path path) throws IOException {
    Path asked = fileSystem.makeQualified(path);
    return made.contains(asked) ? emptyDirectory(asked) : fileSystem.getFileStatus(asked);
  }

  private static FileStatus emptyDirectory(Path path) {
    return new FileStatus(0, true, 1, 0, 0, path);
  }

  /**
   * Remembers a directory and those above it. Sends no request, but one for the log of a file sink.
   */
  public void mkdirs(Path path) throws IOException {
    Path asked = fileSystem.makeQualified(path);
    if (asked.getName().equals(SINK_LOG)) {
      stores
          .forPath(asked)
          .putObject(ObjectKeys.prefixOf(asked), RepeatableBody.of(new byte[0]), Map.of());
    }
    for (Path above = asked; above != null; above = above.getParent()) {
      made.add(above);
    }
  }

  /** Whether there is a file, a directory with something in it, or one that was made here. */
  public boolean exists(Path path) throws IOException {
    Path asked = fileSystem.makeQualified(path);
    if (made.contains(asked)) {
      return true;
    }
    ObjectStore store = stores.forPath(asked);
    return store.headObject(ObjectKeys.of(asked)).isPresent()
        || (!isFile(asked) && store.listObjects(ObjectKeys.prefixOf(asked)).hasNext());
  }

  /** Deletes a file, or a directory with all that is in it, if there is one. */
  public void delete(Path path) throws IOException {
    Path deleted = fileSystem.makeQualified(path);
    if (ObjectKeys.of(deleted).isEmpty()) {
      throw new IOException(
          "ZR-7115: Cannot delete " + deleted + ": it is a whole bucket. Name a directory in it.");
    }
    made.removeIf(it -> ObjectKeys.isAtOrBelow(it, deleted));
    ObjectStore store = stores.forPath(deleted);
    List<String> keys = new ArrayList<>(List.of(ObjectKeys.of(deleted)));
    if (!isFile(deleted)) {
      RemoteIterator<ObjectSummary> below = store.listObjects(ObjectKeys.prefixOf(deleted));
      while (below.hasNext()) {
        keys.add(below.next().key());
      }
    }
    Map<String, Refusal> refused = store.deleteObjects(keys);
    if (!refused.isEmpty()) {
      throw new IOException(
          ("ZR-7116: Cannot delete %s objects of the checkpoint in %s: %s. Grant s3:DeleteObject"
                  + " there, and start the query again.")
              .formatted(refused.size(), deleted, refused));
    }
  }

  /**
   * Makes ready for a query, which has its checkpoint here.
   *
   * @return the directory, fully qualified
   * @throws IOException if the store does not keep two queries from writing the same file
   */
  public Path createDirectory() throws IOException {
    createDirectory(directory);
    return directory;
  }

  /**
   * The same for any directory of the bucket. Three requests for the first of a process in a
   * bucket, none for the next ones.
   */
  public void createDirectory(Path path) throws IOException {
    Path asked = fileSystem.makeQualified(path);
    new ConditionalWrites(stores.forPath(asked), conf).requireOfPuts(asked);
    mkdirs(asked);
  }

  @Override
  public void close() throws IOException {
    Failures failures = new Failures();
    failures.of(stores::close);
    if (conf.getBoolean("fs." + fileSystem.getUri().getScheme() + ".impl.disable.cache", false)) {
      failures.of(fileSystem::close);
    }
    failures.throwAny();
  }

  /** Whether a path is surely no directory, which saves the request that would find out. */
  private boolean isFile(Path path) {
    return (batchLog && isNumberInDirectory(path)) || FILE.matcher(path.getName()).matches();
  }

  private boolean isNumberInDirectory(Path path) {
    return Optional.ofNullable(path.getParent()).filter(directory::equals).isPresent()
        && path.getName().chars().allMatch(Character::isDigit);
  }
}
