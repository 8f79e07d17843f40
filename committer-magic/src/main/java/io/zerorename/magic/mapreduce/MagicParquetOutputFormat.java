package io.zerorename.magic.mapreduce;

import java.io.IOException;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.parquet.hadoop.ParquetOutputFormat;

/**
 * Parquet's output format of the new API, with the committer that the cluster has set for its
 * destination. Parquet's own ignores {@code mapreduce.outputcommitter.factory.scheme.*} and
 * renames.
 *
 * <p>Set it in place of {@link ParquetOutputFormat}, and for formats that build on that one
 * together with their write support, such as {@code ParquetOutputFormat.setWriteSupportClass(job,
 * AvroWriteSupport.class)}. No {@code _metadata} summary is written.
 *
 * @param <T> records
 */
public final class MagicParquetOutputFormat<T> extends ParquetOutputFormat<T> {
  private OutputCommitter committer;

  @Override
  public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context)
      throws IOException {
    if (committer == null) {
      committer = PathOutputCommitterFactory.createCommitter(getOutputPath(context), context);
    }
    return committer;
  }
}
