package io.zerorename.formats;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputFormat;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.ReflectionUtils;

/** The job's {@link Format}, into a directory that may exist, which Hadoop's own do not allow. */
final class AppendingV1 implements OutputFormat<Object, Object> {
  @Override
  @SuppressWarnings("unchecked")
  public RecordWriter<Object, Object> getRecordWriter(
      FileSystem fileSystem, JobConf job, String name, Progressable progress) throws IOException {
    Class<?> format = FormatJob.formatOf(job).v1();
    return ((OutputFormat<Object, Object>) ReflectionUtils.newInstance(format, job))
        .getRecordWriter(fileSystem, job, name, progress);
  }

  @Override
  public void checkOutputSpecs(FileSystem fileSystem, JobConf job) {}
}
