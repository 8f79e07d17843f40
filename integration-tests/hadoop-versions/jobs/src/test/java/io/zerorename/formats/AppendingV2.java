package io.zerorename.formats;

import java.io.IOException;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.util.ReflectionUtils;

/** The job's {@link Format}, into a directory that may exist, which Hadoop's own do not allow. */
final class AppendingV2 extends OutputFormat<Object, Object> {
  private OutputFormat<Object, Object> format;

  @Override
  public RecordWriter<Object, Object> getRecordWriter(TaskAttemptContext context)
      throws IOException, InterruptedException {
    return format(context).getRecordWriter(context);
  }

  @Override
  public OutputCommitter getOutputCommitter(TaskAttemptContext context)
      throws IOException, InterruptedException {
    return format(context).getOutputCommitter(context);
  }

  @Override
  public void checkOutputSpecs(JobContext context) {}

  @SuppressWarnings("unchecked")
  private OutputFormat<Object, Object> format(JobContext context) {
    if (format == null) {
      format =
          (OutputFormat<Object, Object>)
              ReflectionUtils.newInstance(
                  FormatJob.formatOf(context.getConfiguration()).v2(), context.getConfiguration());
    }
    return format;
  }
}
