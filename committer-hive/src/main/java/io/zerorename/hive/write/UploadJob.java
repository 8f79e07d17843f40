package io.zerorename.hive.write;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.hive.config.HiveKeys;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.conf.HiveConfUtil;
import org.apache.hadoop.hive.ql.io.HiveFileFormatUtils;
import org.apache.hadoop.io.ArrayWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapred.SequenceFileInputFormat;
import org.apache.hadoop.mapred.lib.NullOutputFormat;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;

/**
 * A job of MapReduce without reducers whose tasks upload files from the scratch file system. An
 * attempt that is repeated uploads its files again; the manifest that is there at the commit says
 * which upload counts, and the end of the query aborts the others.
 */
final class UploadJob
    implements MapRunnable<NullWritable, UploadJob.Names, NullWritable, NullWritable> {
  private static final long POLL_MILLIS = 500;

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
  UploadJob() {}

  /**
   * Runs it and waits for its end.
   *
   * @param bytes of all files
   * @param scratchDir for the lists of files
   * @throws IOException where it fails
   */
  static void run(
      OutputSpec spec, List<ScratchFile> files, long bytes, Path scratchDir, HiveConf hiveConf)
      throws IOException {
    JobConf job = new JobConf(hiveConf, UploadJob.class);
    hiveConf.stripHiddenConfigurations(job);
    HiveFileFormatUtils.prepareJobOutput(job);
    HiveConfUtil.updateJobCredentialProviders(job);
    UploadAttempt.configure(job, spec);
    job.setJobName("zero-rename: upload of " + files.size() + " files to " + spec.destination());
    job.setMapRunnerClass(UploadJob.class);
    job.setNumReduceTasks(0);
    job.setMapSpeculativeExecution(false);
    job.setInputFormat(SequenceFileInputFormat.class);
    job.setOutputFormat(NullOutputFormat.class);
    // Each list is one task's.
    job.setLong("mapreduce.input.fileinputformat.split.minsize", Long.MAX_VALUE);
    // MapReduce asks for those of its input only.
    TokenCache.obtainTokensForNamenodes(
        job.getCredentials(), new Path[] {spec.destination(), spec.workDir()}, job);
    FileInputFormat.setInputPaths(
        job, lists(files, tasks(files.size(), bytes, hiveConf), scratchDir, job));
    try (JobClient client = new JobClient(job)) {
      await(client.submitJob(job), spec);
    }
  }

  /** As many as Hive would use to merge as much, at most. */
  private static int tasks(int files, long bytes, HiveConf conf) {
    long bytesPerTask = Math.max(1, conf.getLongVar(ConfVars.HIVE_MERGE_MAP_FILES_SIZE));
    return (int) Math.max(1, Math.min(files, bytes / bytesPerTask));
  }

  /** Writes one list for each task, with every so-many-th file. */
  private static Path[] lists(List<ScratchFile> files, int tasks, Path scratchDir, JobConf job)
      throws IOException {
    Path directory = new Path(scratchDir, "uploads");
    List<Path> lists = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      Path list = new Path(directory, String.valueOf(task));
      lists.add(list);
      try (SequenceFile.Writer writer =
          SequenceFile.createWriter(
              job,
              SequenceFile.Writer.file(list),
              SequenceFile.Writer.keyClass(NullWritable.class),
              SequenceFile.Writer.valueClass(Names.class))) {
        for (int i = task; i < files.size(); i += tasks) {
          writer.append(NullWritable.get(), new Names(files.get(i)));
        }
      }
    }
    return lists.toArray(Path[]::new);
  }

  private static void await(RunningJob running, OutputSpec spec) throws IOException {
    try {
      while (!running.isComplete()) {
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      running.killJob();
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("Interrupted (query cancelled?)").initCause(e);
    }
    if (!running.isSuccessful()) {
      throw new IOException(
          "ZR-2310: The job "
              + running.getID()
              + ", which uploads the merged files to "
              + spec.destination()
              + ", failed: "
              + Optional.ofNullable(running.getFailureInfo()).orElse("see its log")
              + ". Nothing was committed; run the statement again. To upload from HiveServer2"
              + " instead, raise "
              + HiveKeys.MERGE_JOB_MIN_BYTES.name()
              + ".");
    }
  }

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
    attempt.upload(files, requests, conf, progress);
  }
}
