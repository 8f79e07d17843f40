package io.zerorename.hive.write;

import io.zerorename.core.config.CoreKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.ArrayWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * A task of {@link UploadJob}. It must need no class of Hive, which the containers of MapReduce do
 * not have.
 */
final class UploadTask
    implements MapRunnable<NullWritable, UploadTask.Names, NullWritable, NullWritable> {
  /** A file in a list. */
  static final class Names extends ArrayWritable {
    /** For MapReduce, by reflection. */
    Names() {
      super(Text.class);
    }

    Names(ScratchFile file) {
      super(
          Text.class,
          Stream.of(file.source(), file.destination(), file.manifest())
              .map(path -> new Text(path.toString()))
              .toArray(Text[]::new));
    }

    ScratchFile file() {
      String[] paths = toStrings();
      return new ScratchFile(new Path(paths[0]), new Path(paths[1]), new Path(paths[2]));
    }
  }

  private JobConf conf;

  /** For MapReduce, by reflection. */
  UploadTask() {}

  @Override
  public void configure(JobConf job) {
    conf = job;
  }

  @Override
  public void run(
      RecordReader<NullWritable, Names> input,
      OutputCollector<NullWritable, NullWritable> output,
      Reporter progress)
      throws IOException {
    UploadAttempt attempt =
        UploadAttempt.ofTask(
            conf, conf.get(MRJobConfig.TASK_ATTEMPT_ID), conf.getInt(MRJobConfig.NUM_MAPS, 1));
    List<ScratchFile> files = new ArrayList<>();
    NullWritable key = input.createKey();
    Names names = input.createValue();
    while (input.next(key, names)) {
      files.add(names.file());
    }
    int requests =
        files.stream()
            .findFirst()
            .map(it -> CoreKeys.UPLOAD_THREADS.from(conf, it.destination().toUri().getHost()))
            .orElse(1);
    attempt.upload(files, requests, conf, progress::progress);
  }
}
