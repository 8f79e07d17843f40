package io.zerorename.spark;

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
  private final EitherManager<CheckpointFileManager> manager;

  /**
   * As Spark makes it. Sends no request.
   *
   * @param path the checkpoint, or a log or a state store in it
   */
  public ConditionalCheckpointFileManager41(Path path, Configuration conf) throws IOException {
    this.manager = new EitherManager<>(path, conf, CheckpointFileManager::create);
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwriteIfPossible) {
    return manager.call(
        files -> new Output(files.create(path, overwriteIfPossible)),
        sparks -> sparks.createAtomic(path, overwriteIfPossible));
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
    return manager.call(files -> files.open(path), sparks -> sparks.open(path));
  }

  @Override
  public FileStatus[] list(Path path, PathFilter filter) {
    return manager.call(files -> files.list(path, filter), sparks -> sparks.list(path, filter));
  }

  @Override
  public void mkdirs(Path path) {
    manager.run(files -> files.mkdirs(path), sparks -> sparks.mkdirs(path));
  }

  @Override
  public boolean exists(Path path) {
    return manager.call(files -> files.exists(path), sparks -> sparks.exists(path));
  }

  @Override
  public void delete(Path path) {
    manager.run(files -> files.delete(path), sparks -> sparks.delete(path));
  }

  @Override
  public boolean isLocal() {
    return manager.call(files -> false, CheckpointFileManager::isLocal);
  }

  @Override
  public Path createCheckpointDirectory() {
    return manager.call(
        CheckpointFiles::createDirectory, CheckpointFileManager::createCheckpointDirectory);
  }

  @Override
  public void close() {
    manager.run(CheckpointFiles::close, CheckpointFileManager::close);
  }
}
