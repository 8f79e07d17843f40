package io.zerorename.magic.job;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * Files that an output format has written to the work path of Hadoop's committer, which it has made
 * for itself, while it leaves the commit to this one. The job would succeed without them.
 */
record StrayFiles(JobOutput output) {
  /** Refuses an attempt whose configuration names such a path. Sends nothing. */
  void refuseOtherWorkPath(TaskAttemptContext context) throws IOException {
    String directory = context.getConfiguration().get(MRJobConfig.TASK_OUTPUT_DIR);
    if (directory == null) {
      return;
    }
    Path path = new Path(directory);
    // In the new API it is the destination itself. This committer's paths are of another scheme.
    if (ObjectKeys.isAtOrBelow(path, output.destination())
        && !ObjectKeys.of(path).equals(ObjectKeys.of(output.destination()))) {
      throw new IOException(
          ("ZR-2230: Task attempt %s cannot be committed: its work directory is %s, which is"
                  + " another committer's, so that files in it would be lost. %s")
              .formatted(context.getTaskAttemptID(), path, remedy()));
    }
  }

  /** Refuses an output below which there are such files. One request. */
  void refuseFiles() throws IOException {
    Path temporary = new Path(output.destination(), FileOutputCommitter.TEMP_DIR_NAME);
    RemoteIterator<ObjectSummary> objects =
        output.stores().forPath(temporary).listObjects(ObjectKeys.prefixOf(temporary));
    while (objects.hasNext()) {
      String key = objects.next().key();
      // Else it is the marker of a directory.
      if (!key.endsWith("/") && !key.endsWith("_$folder$")) {
        throw new IOException(
            ("ZR-2231: %s cannot be committed: no file was written to the committer's work path,"
                    + " and there is %s, which would be lost. If a job that has ended has left it,"
                    + " delete %s. Otherwise this job has written it. %s")
                .formatted(output.description(), key, temporary, remedy()));
      }
    }
  }

  private String remedy() {
    return ("Its output format must take the path of its files from the job's committer. Where it"
            + " does not, let Hadoop commit the job: set mapred.output.committer.class to"
            + " org.apache.hadoop.mapred.FileOutputCommitter, and"
            + " mapreduce.outputcommitter.factory.scheme.%s to"
            + " org.apache.hadoop.mapreduce.lib.output.FileOutputCommitterFactory.")
        .formatted(output.destination().toUri().getScheme());
  }

  /** How many records an attempt has put out, if it is one that writes files and has counters. */
  static long records(TaskAttemptContext context) {
    boolean reduces = context.getTaskAttemptID().getTaskType() == TaskType.REDUCE;
    if (!reduces && context.getNumReduceTasks() > 0) {
      return 0;
    }
    Counter counter =
        context.getCounter(
            reduces ? TaskCounter.REDUCE_OUTPUT_RECORDS : TaskCounter.MAP_OUTPUT_RECORDS);
    return counter == null ? 0 : counter.getValue();
  }
}
