package io.zerorename.spark;

import io.zerorename.spark.checkpoint.CheckpointOutput;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;

/**
 * Writes the checkpoints of streaming queries on S3A without renames, for Spark 4.1 and later;
 * {@link ConditionalCheckpointFileManager} is for the other versions, which have Spark's interface
 * in another package. A checkpoint on another file system is written by Spark's default manager.
 *
 * <p>Set {@code spark.sql.streaming.checkpointFileManagerClass} to the name of this class.
 */
public final class ConditionalCheckpointFileManager41 extends EitherManager
    implements CheckpointFileManager {
  /**
   * As Spark makes it. Sends no request.
   *
   * @param path the checkpoint, or a log or a state store in it
   */
  public ConditionalCheckpointFileManager41(Path path, Configuration conf) throws IOException {
    super(path, conf, CheckpointFileManager::create);
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwriteIfPossible) {
    return call(
        files -> new Output(files.create(path, overwriteIfPossible)),
        "createAtomic",
        path,
        overwriteIfPossible);
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
}
