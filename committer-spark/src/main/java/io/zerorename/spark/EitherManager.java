package io.zerorename.spark;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.spark.checkpoint.CheckpointFiles;
import java.io.IOException;
import java.util.function.BiFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;

/**
 * What keeps a checkpoint: files on S3A, or Spark's default manager elsewhere. Spark has moved its
 * interface to another package, so that two classes bind this to it.
 *
 * @param <M> Spark's interface
 */
final class EitherManager<M> {
  /** One of the two is null. */
  private final CheckpointFiles onS3;

  private final M elsewhere;

  /**
   * Sends no request.
   *
   * @param sparks makes a manager of Spark's
   */
  EitherManager(Path path, Configuration conf, BiFunction<Path, Configuration, M> sparks)
      throws IOException {
    boolean s3 = S3AFileSystems.holds(path, conf);
    Configuration withoutManager = new Configuration(conf);
    withoutManager.unset("spark.sql.streaming.checkpointFileManagerClass");
    this.onS3 = s3 ? new CheckpointFiles(path, conf) : null;
    this.elsewhere = s3 ? null : sparks.apply(path, withoutManager);
  }

  <T> T call(FunctionRaisingIOE<CheckpointFiles, T> here, FunctionRaisingIOE<M, T> there) {
    try {
      return onS3 == null ? there.apply(elsewhere) : here.apply(onS3);
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }

  void run(ConsumerRaisingIOE<CheckpointFiles> here, ConsumerRaisingIOE<M> there) {
    try {
      if (onS3 == null) {
        there.accept(elsewhere);
      } else {
        here.accept(onS3);
      }
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }
}
