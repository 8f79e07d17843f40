package io.zerorename.formats;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.util.Progressable;
import org.apache.orc.mapred.OrcOutputFormat;
import org.apache.orc.mapred.OrcStruct;

/**
 * ORC's format for a destination on any file system. ORC takes the one that MapReduce passes, and
 * that is the default file system, wherever the output goes.
 */
final class OrcV1 extends OrcOutputFormat<OrcStruct> {
  @Override
  public RecordWriter<NullWritable, OrcStruct> getRecordWriter(
      FileSystem defaultFileSystem, JobConf job, String name, Progressable progress)
      throws IOException {
    FileSystem fileSystem = getTaskOutputPath(job, name).getFileSystem(job);
    return super.getRecordWriter(fileSystem, job, name, progress);
  }
}
