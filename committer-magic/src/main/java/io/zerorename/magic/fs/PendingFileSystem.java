package io.zerorename.magic.fs;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes files as multipart uploads to their final keys, which become visible at job commit.
 *
 * <p>An instance belongs to one {@link PendingSession}; its URI is {@code
 * zerorename://<session>/<key of the object>}. It shows the session's own files and directories and
 * sends no requests but those of the uploads. It refuses, with the reason, what an upload cannot do
 * (as rename and append), and ignores permissions, owners and times, as S3A does.
 */
public final class PendingFileSystem extends FileSystem {

  /** The scheme of the paths that record writers get. */
  public static final String SCHEME = "zerorename";

  private static final Logger LOG = LoggerFactory.getLogger(PendingFileSystem.class);

  private static final String IMPLEMENTATION_KEY = "fs." + SCHEME + ".impl";
  private static final String DISABLE_CACHE_KEY = IMPLEMENTATION_KEY + ".disable.cache";

  private URI uri;
  private PendingFiles files;

  /**
   * Ends the session, which uses this instance. Hadoop closes one that it has made in vain, because
   * another thread was faster: that must not end the session.
   */
  private volatile Closeable session = () -> {};

  private Path workingDirectory;

  /**
   * Makes a configuration, such as a record writer's, find the file systems of all sessions, open
   * ones and later ones.
   */
  public static void register(Configuration conf) {
    conf.setClass(IMPLEMENTATION_KEY, PendingFileSystem.class, FileSystem.class);
    conf.setBoolean(DISABLE_CACHE_KEY, false);
  }

  /**
   * Called by Hadoop. An instance that no session creates shows nothing, and takes no file.
   *
   * <p>Not by {@code super}, which puts this class into a static map of Hadoop's for ever: with it
   * the class loader of a session of Hive.
   */
  @Override
  public void initialize(URI name, Configuration conf) {
    uri = URI.create(SCHEME + "://" + name.getAuthority() + "/");
    workingDirectory = new Path(uri);
    if (conf instanceof OfSession session) {
      setConf(conf);
      statistics = session.statistics;
      files = session.files;
    } else {
      // Hadoop keeps the instance: it must not keep the caller's settings.
      setConf(new Configuration(false));
      statistics = new Statistics(SCHEME);
    }
  }

  /**
   * The configuration with which a session creates its instance, and passes on its state. It begins
   * empty: copies of a query's configuration for hundreds of record writers would need more memory
   * than their buffers.
   */
  private static final class OfSession extends Configuration {
    private final PendingFiles files;
    private final Statistics statistics;

    private OfSession(PendingFiles files, Statistics statistics) {
      super(false);
      this.files = files;
      this.statistics = statistics;
      register(this);
      // The jar may have come by ADD JAR, to a class loader that Hadoop's does not know.
      setClassLoader(PendingFileSystem.class.getClassLoader());
    }
  }

  /**
   * Creates the instance of a session. Hadoop caches it by scheme, authority and user; the writer's
   * own configuration does not matter.
   *
   * @param session is closed with it
   * @param statistics count what the session writes
   * @throws IOException where another session has that name
   */
  static PendingFileSystem of(PendingFiles files, Closeable session, Statistics statistics)
      throws IOException {
    URI root = files.root.toUri();
    Configuration conf = new OfSession(files, statistics);
    PendingFileSystem cached = (PendingFileSystem) get(root, conf);
    while (!cached.isOfSession()) {
      // A caller that has asked for such a path before has left an instance of no session there.
      cached.close();
      cached = (PendingFileSystem) get(root, conf);
    }
    if (cached.files != files) {
      throw new IOException(
          ("ZR-2220: there is an open session %s already: this task attempt was set up twice in one"
                  + " JVM")
              .formatted(root));
    }
    cached.session = session;
    return cached;
  }

  /** Whether a session has created this instance. */
  boolean isOfSession() {
    return files != null;
  }

  private PendingFiles files() throws FileNotFoundException {
    if (!isOfSession()) {
      throw new FileNotFoundException(
          ("ZR-2209: there is no open session for %s: it was closed, or belongs to another user or"
                  + " JVM, or %s is true. Write while the task attempt's session is open, and read"
                  + " committed objects at their destination")
              .formatted(uri, DISABLE_CACHE_KEY));
    }
    return files;
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public URI getUri() {
    return uri;
  }

  /** None: uploads use the bucket's credentials, and tokens are fetched for no pending path. */
  @Override
  public String getCanonicalServiceName() {
    return null;
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return new FSDataOutputStream(files().create(qualify(path), overwrite, blockSize), statistics);
  }

  /** Needs no parents: S3 may have those that the session has not made, and is not asked. */
  @Override
  public FSDataOutputStreamBuilder<?, ?> createFile(Path path) {
    return super.createFile(path).recursive();
  }

  /** Reads the end of a closed file, in full if it is short. */
  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return new FSDataInputStream(files().file(qualify(path)).open());
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return files().status(qualify(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return files().list(qualify(path));
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    files().mkdirs(qualify(path));
    return true;
  }

  /** Aborts the uploads of the files that it deletes. */
  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    Path absolute = qualify(path);
    return isOfSession() && files.delete(absolute, recursive);
  }

  @Override
  public boolean rename(Path source, Path target) {
    throw refused("rename", source, "Create " + target + " itself");
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw refused("append to", path, "Write the file in one go");
  }

  @Override
  public Path getWorkingDirectory() {
    return workingDirectory;
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    workingDirectory = makeQualified(directory);
  }

  /**
   * Leaves Hadoop's cache. Files that are still being written fail; closed ones stay pending,
   * unless their session is {@link PendingSession#park parked}.
   *
   * <p>A failed abort is only logged: engines close all file systems of a task, S3A's perhaps
   * first. An exception would end a Tez container, and keep LLAP from its own clean-up.
   */
  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      endSession();
    }
  }

  private void endSession() {
    try {
      session.close();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-2212: The uploads of {} could not be aborted when its file system was closed; the end"
              + " of the job aborts them",
          uri,
          e);
    }
  }

  private Path qualify(Path path) {
    checkPath(path);
    return makeQualified(path);
  }

  private static UnsupportedOperationException refused(String action, Path path, String advice) {
    return new UnsupportedOperationException(
        ("ZR-2213: cannot %s %s: a pending file is a multipart upload, whose key is fixed when it"
                + " is created and whose bytes cannot be changed. %s")
            .formatted(action, path, advice));
  }
}
