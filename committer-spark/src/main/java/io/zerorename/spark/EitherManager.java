package io.zerorename.spark;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.spark.checkpoint.CheckpointFiles;
import java.io.IOException;
import java.util.function.BiFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;

/**
 * What keeps a checkpoint: files on S3A, or Spark's default manager elsewhere. Spark has moved its
 * interface to another package, so that two classes bind this to it; the methods are the same, and
 * those of Spark's manager are called by their names.
 */
abstract class EitherManager {
  /** One of the two is null. */
  private final CheckpointFiles onS3;

  private final Object elsewhere;

  /**
   * Sends no request.
   *
   * @param sparks makes a manager of Spark's
   */
  EitherManager(Path path, Configuration conf, BiFunction<Path, Configuration, ?> sparks)
      throws IOException {
    boolean s3 = S3AFileSystems.holds(path, conf);
    Configuration withoutManager = new Configuration(conf);
    withoutManager.unset("spark.sql.streaming.checkpointFileManagerClass");
    this.onS3 = s3 ? new CheckpointFiles(path, conf) : null;
    this.elsewhere = s3 ? null : sparks.apply(path, withoutManager);
  }

  /**
   * Calls one of the two.
   *
   * @param there the name of the method of Spark's manager
   * @param arguments of that method
   */
  final <T> T call(FunctionRaisingIOE<CheckpointFiles, T> here, String there, Object... arguments) {
    try {
      return onS3 == null ? EitherScala.call(elsewhere, there, arguments) : here.apply(onS3);
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }

  public FSDataInputStream open(Path path) {
    return call(files -> files.open(path), "open", path);
  }

  public FileStatus[] list(Path path, PathFilter filter) {
    return call(files -> files.list(path, filter), "list", path, filter);
  }

  public void mkdirs(Path path) {
    call(
        files -> {
          files.mkdirs(path);
          return null;
        },
        "mkdirs",
        path);
  }

  public boolean exists(Path path) {
    return this.<Boolean>call(files -> files.exists(path), "exists", path);
  }

  public void delete(Path path) {
    call(
        files -> {
          files.delete(path);
          return null;
        },
        "delete",
        path);
  }

  public boolean isLocal() {
    return this.<Boolean>call(files -> false, "isLocal");
  }

  public Path createCheckpointDirectory() {
    return call(CheckpointFiles::createDirectory, "createCheckpointDirectory");
  }

  /** Of Spark's interface since 4.1. */
  public void close() {
    call(
        files -> {
          files.close();
          return null;
        },
        "close");
  }
}
