package io.zerorename.spark;

import io.zerorename.spark.checkpoint.CheckpointFiles;
import io.zerorename.spark.checkpoint.CheckpointOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * The file system for {@code SparkContext.setCheckpointDir} and {@code StreamingContext.checkpoint}
 * on S3A: {@code s3a-checkpoint://bucket/directory} is {@code s3a://bucket/directory}. Spark writes
 * a temporary file and renames it; here its bytes wait, and the rename sends them to their final
 * key. Nothing else is renamed.
 */
public final class CheckpointFileSystem extends FileSystem {
  /** The scheme of its paths. */
  public static final String SCHEME = "s3a-checkpoint";

  /** A partition of an RDD, by the names of {@code ReliableCheckpointRDD}. */
  private static final Pattern ATTEMPT = Pattern.compile("\\.(.+)-attempt-\\d+");

  /** A checkpoint of a DStream, by the name of {@code CheckpointWriter}. */
  private static final String TEMPORARY = "temp";

  private static final String BACKUP = ".bk";

  /** What is written and not yet renamed, by its temporary path. */
  private final Map<Path, Unnamed> unnamed = new ConcurrentHashMap<>();

  /** Checkpoints of a DStream that Spark believes to have renamed, so that it may replace them. */
  private final Set<Path> replaceable = ConcurrentHashMap.newKeySet();

  /** The checkpoints of a DStream that this process has made visible, and not deleted. */
  private final Set<Path> published = ConcurrentHashMap.newKeySet();

  private URI uri;
  private CheckpointFiles files;
  private Path workingDirectory;

  /** A file without its final name. */
  private interface Unnamed {
    /** Whether this may be its name. */
    boolean canBecome(Path path);

    /** Makes it visible. */
    void publish(Path path, boolean replace) throws IOException;

    void discard();
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    this.uri = URI.create(SCHEME + "://" + name.getAuthority());
    this.files = new CheckpointFiles(new Path("s3a://" + name.getAuthority() + "/"), conf);
    this.workingDirectory = new Path(uri.toString(), "/");
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public URI getUri() {
    return uri;
  }

  private Path onS3A(Path path) {
    return new Path("s3a", uri.getAuthority(), makeQualified(path).toUri().getPath());
  }

  private FileStatus here(FileStatus status) {
    return new FileStatus(
        status.getLen(),
        status.isDirectory(),
        status.getReplication(),
        status.getBlockSize(),
        status.getModificationTime(),
        new Path(SCHEME, uri.getAuthority(), status.getPath().toUri().getPath()));
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return files.open(onS3A(path));
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
    Path file = makeQualified(path);
    Matcher attempt = ATTEMPT.matcher(file.getName());
    OutputStream out;
    if (attempt.matches()) {
      Part part = new Part(file, onS3A(new Path(file.getParent(), attempt.group(1))));
      add(file, part);
      out = part;
    } else if (file.getName().equals(TEMPORARY)) {
      Held held = new Held();
      add(file, held);
      out = held;
    } else {
      out = files.create(onS3A(file), overwrite);
    }
    return new FSDataOutputStream(out, statistics);
  }

  private void add(Path temporary, Unnamed file) {
    Unnamed before = unnamed.put(temporary, file);
    if (before != null) {
      before.discard();
    }
  }

  private void forget(Path temporary, Unnamed file) {
    unnamed.remove(temporary, file);
    file.discard();
  }

  /** A partition: its final key is known before its rename, so that long ones go up meanwhile. */
  private final class Part extends OutputStream implements Unnamed {
    private final Path temporary;
    private final Path name;
    private final CheckpointOutput out;

    Part(Path temporary, Path name) throws IOException {
      this.temporary = temporary;
      this.name = name;
      this.out = files.create(name, false);
    }

    @Override
    public boolean canBecome(Path path) {
      return path.equals(name);
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
      out.write(bytes, offset, count);
    }

    @Override
    public void close() throws IOException {
      try {
        out.finish();
      } catch (IOException | RuntimeException e) {
        forget(temporary, this);
        throw e;
      }
    }

    @Override
    public void publish(Path path, boolean replace) throws IOException {
      out.close();
    }

    @Override
    public void discard() {
      out.cancel();
    }
  }

  /** A checkpoint, which Spark has in memory as well. */
  private final class Held extends ByteArrayOutputStream implements Unnamed {
    @Override
    public boolean canBecome(Path path) {
      return true;
    }

    @Override
    public void publish(Path path, boolean replace) throws IOException {
      CheckpointOutput out = files.create(path, replace);
      try {
        writeTo(out);
        out.close();
      } finally {
        out.cancel();
      }
    }

    @Override
    public void discard() {}
  }

  /**
   * Sends a temporary file to its final key. A checkpoint that is renamed to its backup stays where
   * it is until the next one replaces it in one request.
   *
   * @return false where a file is there that another writer has written
   */
  @Override
  public boolean rename(Path source, Path destination) throws IOException {
    Path from = makeQualified(source);
    Path to = makeQualified(destination);
    Unnamed file = unnamed.get(from);
    if (file != null && file.canBecome(onS3A(to))) {
      try {
        file.publish(onS3A(to), replaceable.remove(to));
      } catch (FileAlreadyExistsException e) {
        LOG.info("{} is not written: {}", to, e.getMessage());
        return false;
      } catch (IOException | RuntimeException e) {
        forget(from, file);
        throw e;
      }
      unnamed.remove(from);
      if (file instanceof Held) {
        published.add(to);
      }
      return true;
    }
    if (to.equals(from.suffix(BACKUP))) {
      replaceable.add(from);
      return true;
    }
    throw new UnsupportedOperationException(
        ("ZR-7120: Cannot rename %s to %s: the file system %s is for the checkpoints of RDDs and"
                + " DStreams alone. Use s3a for other files.")
            .formatted(from, to, SCHEME));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    Path file = makeQualified(path);
    Unnamed written = unnamed.remove(file);
    if (written != null) {
      written.discard();
      return true;
    }
    if (file.getName().equals(TEMPORARY) || ATTEMPT.matcher(file.getName()).matches()) {
      return false;
    }
    if (!recursive && listStatus(file).length > 0 && !getFileStatus(file).isFile()) {
      throw new PathIsNotEmptyDirectoryException(file.toString());
    }
    files.delete(onS3A(file));
    published.remove(file);
    return true;
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    FileStatus[] found = files.list(onS3A(path), any -> true);
    for (int i = 0; i < found.length; i++) {
      found[i] = here(found[i]);
    }
    return found;
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    files.mkdirs(onS3A(path));
    return true;
  }

  @Override
  public boolean exists(Path path) throws IOException {
    return published.contains(makeQualified(path)) || files.exists(onS3A(path));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return here(files.status(onS3A(path)));
  }

  /**
   * Not offered.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw new UnsupportedOperationException(
        "ZR-7121: Cannot append to " + path + ": S3 has no append. Write a new file.");
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    workingDirectory = makeQualified(directory);
  }

  @Override
  public Path getWorkingDirectory() {
    return workingDirectory;
  }

  @Override
  public void close() throws IOException {
    unnamed.values().forEach(Unnamed::discard);
    unnamed.clear();
    try {
      super.close();
    } finally {
      files.close();
    }
  }
}
