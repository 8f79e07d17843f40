package io.zerorename.hive.write;

import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.config.HiveKeys;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.conf.HiveConfUtil;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapred.SequenceFileInputFormat;
import org.apache.hadoop.mapred.SkipBadRecords;
import org.apache.hadoop.mapred.lib.NullOutputFormat;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job of MapReduce without reducers whose tasks upload files from the scratch file system. An
 * attempt that is repeated skips what an earlier one has uploaded; the end of the query aborts
 * uploads of attempts that were killed.
 */
final class UploadJob {
  private static final Logger LOG = LoggerFactory.getLogger(UploadJob.class);

  private static final long POLL_MILLIS = 500;

  /** Each has a list, which this process writes. */
  private static final int MOST_TASKS = 1_000;

  private UploadJob() {}

  /**
   * Runs it and waits for its end.
   *
   * @param bytes of all files
   * @param scratchDir for the lists of files
   * @param refuseIfCancelled fails where the query was cancelled; then the job is killed
   * @throws IOException where it fails
   */
  static void run(
      OutputSpec spec,
      List<ScratchFile> files,
      long bytes,
      Path scratchDir,
      HiveConf hiveConf,
      Failures.Step refuseIfCancelled)
      throws IOException {
    JobConf job = new JobConf(hiveConf, UploadTask.class);
    hiveConf.stripHiddenConfigurations(job);
    // One of Hadoop's: mapred-site.xml may name another. Without an output path it does nothing.
    job.setOutputCommitter(FileOutputCommitter.class);
    HiveConfUtil.updateJobCredentialProviders(job);
    UploadAttempt.configure(job, spec);
    job.setJobName("zero-rename: upload of " + files.size() + " files to " + spec.destination());
    job.setMapRunnerClass(UploadTask.class);
    job.setNumReduceTasks(0);
    job.setMapSpeculativeExecution(false);
    // A job that succeeds has uploaded all files.
    job.setMaxMapTaskFailuresPercent(0);
    SkipBadRecords.setMapperMaxSkipRecords(job, 0);
    job.setInputFormat(SequenceFileInputFormat.class);
    job.setOutputFormat(NullOutputFormat.class);
    // Each list is one task's.
    job.setLong("mapreduce.input.fileinputformat.split.minsize", Long.MAX_VALUE);
    // MapReduce asks for those of its input only.
    TokenCache.obtainTokensForNamenodes(job.getCredentials(), needingTokens(spec, files), job);
    FileInputFormat.setInputPaths(
        job, lists(files, tasks(files.size(), bytes, hiveConf), scratchDir, job));
    try (JobClient client = new JobClient(job)) {
      RunningJob running = client.submitJob(job);
      LOG.info("{} is {}, at {}", job.getJobName(), running.getID(), running.getTrackingURL());
      await(running, spec, refuseIfCancelled);
    }
  }

  /** A path in each bucket, and the directory of records. */
  private static Path[] needingTokens(OutputSpec spec, List<ScratchFile> files) {
    Map<String, Path> places = new TreeMap<>();
    files.forEach(
        it -> places.putIfAbsent(ObjectKeys.bucketOf(it.destination()), it.destination()));
    return Stream.concat(places.values().stream(), Stream.of(spec.workDir())).toArray(Path[]::new);
  }

  /** As many as Hive would use to merge as much, at most. */
  private static int tasks(int files, long bytes, HiveConf conf) {
    long bytesPerTask = conf.getLongVar(ConfVars.HIVE_MERGE_MAP_FILES_SIZE);
    long tasks = bytesPerTask <= 0 ? 1 : bytes / bytesPerTask;
    return (int) Math.max(1, Math.min(Math.min(files, MOST_TASKS), tasks));
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
              SequenceFile.Writer.valueClass(UploadTask.Names.class))) {
        for (int i = task; i < files.size(); i += tasks) {
          writer.append(NullWritable.get(), new UploadTask.Names(files.get(i)));
        }
      }
    }
    return lists.toArray(Path[]::new);
  }

  /** In a thread that no interrupt reaches: further ones may come while a session is closed. */
  private static void kill(RunningJob running, Exception because) {
    try {
      Uninterrupted.call(
          () -> {
            running.killJob();
            return null;
          });
    } catch (IOException | RuntimeException e) {
      because.addSuppressed(e);
      LOG.warn(
          "ZR-2312: The job {} could not be killed; what it still uploads is not committed, and the"
              + " end of the query aborts it. Kill the job: mapred job -kill {}",
          running.getID(),
          running.getID(),
          e);
    }
  }

  private static void await(RunningJob running, OutputSpec spec, Failures.Step refuseIfCancelled)
      throws IOException {
    try {
      while (!running.isComplete()) {
        refuseIfCancelled.run();
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      kill(running, e);
      throw (IOException) new InterruptedIOException("Interrupted (query cancelled?)").initCause(e);
    } catch (IOException | RuntimeException e) {
      // Hadoop's client of YARN throws runtime exceptions where it is interrupted.
      kill(running, e);
      throw e;
    }
    if (!running.isSuccessful()) {
      throw new IOException(
          ("ZR-2310: The job %s, which uploads the merged files to %s, failed: %s. Nothing was"
                  + " committed; run the statement again. To upload from HiveServer2 instead, raise"
                  + " %s.")
              .formatted(
                  running.getID(),
                  spec.destination(),
                  Optional.ofNullable(running.getFailureInfo()).orElse("see its log"),
                  HiveKeys.MERGE_JOB_MIN_BYTES.name()));
    }
  }
}
