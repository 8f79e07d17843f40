package io.zerorename.magic.mapreduce;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.magic.job.MagicCommitter;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;

/**
 * Makes jobs of Hadoop's new API commit to S3 without renames. Name it in {@code
 * mapreduce.outputcommitter.factory.scheme.s3a}. Output that is not on S3A gets Hadoop's own
 * committer.
 */
public final class MagicCommitterFactory extends PathOutputCommitterFactory {
  @Override
  public PathOutputCommitter createOutputCommitter(Path outputPath, TaskAttemptContext context)
      throws IOException {
    return outputPath != null && S3AFileSystems.holds(outputPath, context.getConfiguration())
        ? new MagicCommitter(outputPath, context)
        : createFileOutputCommitter(outputPath, context);
  }
}
