package io.zerorename.spark;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.spark.checkpoint.CheckpointFiles;
import io.zerorename.spark.checkpoint.CheckpointOutput;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;

/**
 * Writes the checkpoints of streaming queries on S3A without renames, for Spark 4.1 and later;
 * {@link ConditionalCheckpointFileManager} is for the other versions, which have Spark's interface
 * in another package. A checkpoint on another file system is written by Spark's default manager.
 *
 * <p>Set {@code spark.sql.streaming.checkpointFileManagerClass} to the name of this class.
 */
public final class ConditionalCheckpointFileManager41 implements CheckpointFileManager {
  /** One of the two is null. */
  private final CheckpointFiles onS3;

  private final CheckpointFileManager elsewhere;

  /**
   * As Spark makes it. Sends no request.
   *
   * @param path the checkpoint, or a log or a state store in it
   */
  public ConditionalCheckpointFileManager41(Path path, Configuration conf) throws IOException {
    boolean s3 = S3AFileSystems.holds(path, conf);
    this.onS3 = s3 ? new CheckpointFiles(path, conf) : null;
    this.elsewhere = s3 ? null : CheckpointFileManager.create(path, withoutManager(conf));
  }

  private static Configuration withoutManager(Configuration conf) {
    Configuration copy = new Configuration(conf);
    copy.unset("spark.sql.streaming.checkpointFileManagerClass");
    return copy;
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwriteIfPossible) {
    return onS3 == null
        ? elsewhere.createAtomic(path, overwriteIfPossible)
        : Rethrow.io(() -> new Output(onS3.create(path, overwriteIfPossible)));
  }

  private static final class Output extends CancellableFSDataOutputStream {
    private final CheckpointOutput file;

    Output(CheckpointOutput file) {
      super(file);
      this.file = file;
    }

    @Override
    public void cancel() {
      file.cancel();
    }
  }

  @Override
  public FSDataInputStream open(Path path) {
    return onS3 == null ? elsewhere.open(path) : Rethrow.io(() -> onS3.open(path));
  }

  @Override
  public FileStatus[] list(Path path, PathFilter filter) {
    return onS3 == null ? elsewhere.list(path, filter) : Rethrow.io(() -> onS3.list(path, filter));
  }

  @Override
  public void mkdirs(Path path) {
    if (onS3 == null) {
      elsewhere.mkdirs(path);
    } else {
      Rethrow.io(() -> onS3.mkdirs(path));
    }
  }

  @Override
  public boolean exists(Path path) {
    return onS3 == null ? elsewhere.exists(path) : Rethrow.io(() -> onS3.exists(path));
  }

  @Override
  public void delete(Path path) {
    if (onS3 == null) {
      elsewhere.delete(path);
    } else {
      Rethrow.io(() -> onS3.delete(path));
    }
  }

  @Override
  public boolean isLocal() {
    return onS3 == null && elsewhere.isLocal();
  }

  @Override
  public Path createCheckpointDirectory() {
    return onS3 == null ? elsewhere.createCheckpointDirectory() : Rethrow.io(onS3::createDirectory);
  }

  @Override
  public void close() {
    Rethrow.io(
        () -> {
          if (onS3 == null) {
            elsewhere.close();
          } else {
            onS3.close();
          }
        });
  }
}
