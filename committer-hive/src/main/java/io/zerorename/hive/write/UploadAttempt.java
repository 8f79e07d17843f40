package io.zerorename.hive.write;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.core.parallel.ProcessShare;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.magic.fs.PendingSession;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * What uploads files of an INSERT: HiveServer2, or a task of {@link UploadJob}.
 *
 * @param jobId of the INSERT
 * @param workDir the directory that holds the job's own
 * @param id of the attempt, in the job's directory and in manifests
 * @param attempts how many share the bytes that the commit takes inline
 * @param inlined how many of them this one has used
 */
record UploadAttempt(String jobId, Path workDir, String id, int attempts, AtomicLong inlined) {
  private static final String JOB_ID = DeclaredKeys.INTERNAL + "upload.job.id";
  private static final String WORK_DIR = DeclaredKeys.INTERNAL + "upload.work.dir";

  UploadAttempt {
    requireNonNull(jobId, "jobId");
    requireNonNull(workDir, "workDir");
    requireNonNull(id, "id");
    requireNonNull(inlined, "inlined");
  }

  /**
   * The attempt that runs in HiveServer2.
   *
   * @param spec of the INSERT
   */
  static UploadAttempt inProcess(OutputSpec spec) {
    return new UploadAttempt(spec.jobId(), spec.workDir(), "merged", 1, new AtomicLong());
  }

  /**
   * Uploads files.
   *
   * @param requests that are under way at once, at most: of several files, or parts of few
   * @param conf is changed
   * @param between reads of a file; stops the upload where it fails
   */
  void upload(List<ScratchFile> files, int requests, Configuration conf, Failures.Step between)
      throws IOException {
    if (files.isEmpty()) {
      return;
    }
    List<String> buckets =
        files.stream().map(it -> ObjectKeys.bucketOf(it.destination())).distinct().toList();
    int most =
        buckets.stream().mapToInt(it -> CoreKeys.UPLOAD_THREADS.from(conf, it)).max().orElse(1);
    int ofProcess = CoreKeys.PROCESS_THREADS.from(conf);
    int atOnce = Math.min(files.size(), requests);
    // While parts are sent, the thread of their file waits.
    int ofFile = Math.max(1, Math.min(most, requests / atOnce));
    ProcessShare.User further = ProcessShare.THREADS.user();
    // What the files' own threads need is left for them.
    while (ofFile > 1 && !further.tryTake((long) atOnce * (ofFile - 1), ofProcess - (atOnce - 1))) {
      ofFile--;
    }
    for (String bucket : buckets) {
      conf.setInt(
          CoreKeys.UPLOAD_THREADS.nameIn(conf, bucket),
          Math.min(CoreKeys.UPLOAD_THREADS.from(conf, bucket), ofFile));
    }
    PendingSession.register(conf);
    try {
      new Workers(atOnce, ofProcess).forEach(files, file -> file.upload(this, conf, between));
    } finally {
      further.giveBackAll();
    }
  }

  /** Lets tasks know the INSERT. */
  static void configure(Configuration conf, OutputSpec spec) {
    conf.set(JOB_ID, spec.jobId());
    conf.set(WORK_DIR, spec.workDir().toString());
  }

  /** That of a task. */
  static UploadAttempt ofTask(Configuration conf, String id, int attempts) {
    return new UploadAttempt(
        conf.get(JOB_ID), new Path(conf.get(WORK_DIR)), id, attempts, new AtomicLong());
  }
}
