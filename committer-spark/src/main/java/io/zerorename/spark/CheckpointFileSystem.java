package io.zerorename.spark;

import io.zerorename.spark.checkpoint.CheckpointFiles;
import io.zerorename.spark.checkpoint.CheckpointOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

  /** A partition of an RDD before its rename, by the names of {@code ReliableCheckpointRDD}. */
  private static final Pattern ATTEMPT = Pattern.compile("\\.(.+)-attempt-\\d+");

  /**
   * A checkpoint of a DStream before its rename, and after it, as {@code CheckpointWriter} does.
   */
  private static final String TEMPORARY = "temp";

  private static final Pattern CHECKPOINT = Pattern.compile("checkpoint-\\d+");

  /**
   * By the temporary path. Of a partition the final key is known, so that a long one is uploaded
   * meanwhile. A checkpoint of a DStream is kept in memory, where Spark has it as well.
   */
  private final Map<Path, OutputStream> temporary = new ConcurrentHashMap<>();

  /** The checkpoint of a DStream that was written last, or of which that was tried. */
  private volatile Path latest;

  private URI uri;
  private CheckpointFiles files;
  private Path workingDirectory;

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
    status.setPath(new Path(SCHEME, uri.getAuthority(), status.getPath().toUri().getPath()));
    return status;
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
    if (file.getName().equals(TEMPORARY)) {
      ByteArrayOutputStream checkpoint = new ByteArrayOutputStream();
      temporary.put(file, checkpoint);
      return new FSDataOutputStream(checkpoint, statistics);
    }
    Matcher attempt = ATTEMPT.matcher(file.getName());
    if (!attempt.matches()) {
      return new FSDataOutputStream(files.create(onS3A(file), overwrite), statistics);
    }
    discard(file);
    CheckpointOutput partition =
        files.create(onS3A(new Path(file.getParent(), attempt.group(1))), false);
    temporary.put(file, partition);
    return new FSDataOutputStream(partition, statistics) {
      @Override
      public void close() throws IOException {
        boolean finished = false;
        try {
          partition.finish();
          finished = true;
        } finally {
          if (!finished) {
            discard(file);
          }
        }
      }
    };
  }

  private void discard(Path file) {
    if (temporary.remove(file) instanceof CheckpointOutput partition) {
      partition.cancel();
    }
  }

  /**
   * Sends a temporary file to its final key.
   *
   * @return false where the partition is there, which another attempt has written
   */
  @Override
  public boolean rename(Path source, Path destination) throws IOException {
    Path from = makeQualified(source);
    Path to = makeQualified(destination);
    OutputStream written = temporary.get(from);
    if (written instanceof ByteArrayOutputStream checkpoint) {
      temporary.remove(from);
      write(checkpoint, to);
      return true;
    }
    if (written instanceof CheckpointOutput partition && partition.isOf(onS3A(to))) {
      temporary.remove(from);
      try {
        partition.close();
        return true;
      } catch (FileAlreadyExistsException e) {
        LOG.info("{} is not written: {}", to, e.getMessage());
        return false;
      }
    }
    throw new UnsupportedOperationException(
        ("ZR-7120: Cannot rename %s to %s: the file system %s is for the checkpoints of RDDs and"
                + " DStreams alone. Use s3a for other files.")
            .formatted(from, to, SCHEME));
  }

  /**
   * Spark writes several states of a DStream under one name, one after the other, and none may be
   * replaced by an older one whose request arrives late: the first is written on the condition that
   * nothing is there, and the others are uploads, of which each can be completed once.
   */
  private void write(ByteArrayOutputStream checkpoint, Path to) throws IOException {
    if (!to.equals(latest)) {
      latest = to;
      try {
        write(checkpoint, files.create(onS3A(to), false));
        return;
      } catch (FileAlreadyExistsException e) {
        LOG.info("{} is replaced, which another driver has written", to);
      }
    }
    write(checkpoint, files.replace(onS3A(to)));
  }

  private static void write(ByteArrayOutputStream checkpoint, CheckpointOutput out)
      throws IOException {
    try {
      checkpoint.writeTo(out);
      out.close();
    } finally {
      out.cancel();
    }
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    Path file = makeQualified(path);
    if (file.getName().equals(TEMPORARY) || ATTEMPT.matcher(file.getName()).matches()) {
      discard(file);
      return true;
    }
    if (!recursive && listStatus(file).length > 0 && !getFileStatus(file).isFile()) {
      throw new PathIsNotEmptyDirectoryException(file.toString());
    }
    files.delete(onS3A(file));
    return true;
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return Stream.of(files.list(onS3A(path), any -> true))
        .map(this::here)
        .toArray(FileStatus[]::new);
  }

  /**
   * Spark makes the directory before all else. Where it could not be used, it fails here: that a
   * checkpoint of a DStream is not written Spark only logs, and goes on.
   */
  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    files.createDirectory(onS3A(path));
    return true;
  }

  /**
   * Says no of a checkpoint of a DStream that is about to be replaced: Spark moves it away first
   * otherwise.
   */
  @Override
  public boolean exists(Path path) throws IOException {
    return !(CHECKPOINT.matcher(path.getName()).matches()
            && temporary.containsKey(new Path(makeQualified(path).getParent(), TEMPORARY)))
        && files.exists(onS3A(path));
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
    temporary.keySet().forEach(this::discard);
    try {
      super.close();
    } finally {
      files.close();
    }
  }
}
