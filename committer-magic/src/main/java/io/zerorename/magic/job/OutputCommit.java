package io.zerorename.magic.job;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.Decision;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.ManifestSource;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.store.CountedStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.PartBody;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;

/** Makes the files of a job visible, and then its {@code _SUCCESS}. May be repeated. */
record OutputCommit(JobOutput output, Configuration conf, CountedStores stores) {
  private static final BinaryOperator<TaskManifest> LATER =
      BinaryOperator.maxBy(
          Comparator.comparing(manifest -> TaskAttemptID.forName(manifest.taskAttemptId())));

  JobReport run() throws IOException {
    JobDirectory job = output.records(stores, conf);
    ConflictMode mode = MapReduceKeys.CONFLICT_MODE.from(conf);
    CommitReport report =
        new JobCommit(stores, job, CommitSettings.from(conf))
            .run(
                new CommitRequest(
                    output.jobId(),
                    output.description(),
                    onePerTask(job),
                    List.of(output.destination()),
                    mode == ConflictMode.REPLACE
                        ? Overwrite.directory(output.destination())
                        : Overwrite.none(),
                    output.plainNames(job, conf)));
    // With records on S3 it would cost every job requests; late are those that find a decision.
    if (!output.recordsOnS3() || report.decidedBefore()) {
      refuseLate(job);
    }
    JobReport result =
        JobReport.committed(
            output, report, stores.counts().toMap(), MapReduceKeys.SUCCESS_FILE_LIMIT.from(conf));
    if (conf.getBoolean(FileOutputCommitter.SUCCESSFUL_JOB_OUTPUT_DIR_MARKER, true)) {
      putSuccess(result);
    } else if (report.files() == 0) {
      // As with Hadoop's own committer, whoever reads the destination next finds a directory.
      put(ObjectKeys.prefixOf(output.destination()), new byte[0]);
    }
    return result;
  }

  /**
   * The manifests of one attempt per task. Where several have committed, because one failed after
   * its commit, each is a whole output of the task; the latest is taken.
   */
  private static ManifestSource onePerTask(JobDirectory job) {
    return workers -> {
      Map<TaskID, TaskManifest> chosen = new HashMap<>();
      for (TaskManifest manifest : job.attempts().published(workers)) {
        TaskAttemptID attemptId = TaskAttemptID.forName(manifest.taskAttemptId());
        chosen.merge(attemptId.getTaskID(), manifest, LATER);
      }
      return List.copyOf(chosen.values());
    };
  }

  /**
   * Makes sure that the decision was not made before a task had committed: its files would be lost
   * without an error. So it is where two vertices of a Tez DAG share a destination and each commits
   * as it finishes.
   */
  private void refuseLate(JobDirectory job) throws IOException {
    List<String> attempts = job.attempts().ids();
    if (attempts.isEmpty()) {
      return;
    }
    Set<TaskID> committed =
        job.decisions().read().flatMap(Decision::plan).stream()
            .flatMap(plan -> plan.uploads().stream())
            .map(upload -> taskOf(upload.taskAttemptId()))
            .collect(Collectors.toSet());
    for (String attempt : attempts) {
      if (!committed.contains(taskOf(attempt))
          && job.attempts().of(attempt).filter(late -> !late.uploads().isEmpty()).isPresent()) {
        throw new IOException(
            output.description()
                + " lacks the files of task attempt "
                + attempt
                + ", which has committed after the job. If two vertices of a Tez DAG write to one"
                + " directory, give each its own, or set"
                + " tez.am.commit-all-outputs-on-dag-success to true.");
      }
    }
  }

  private static TaskID taskOf(String taskAttemptId) {
    return TaskAttemptID.forName(taskAttemptId).getTaskID();
  }

  private void putSuccess(JobReport report) throws IOException {
    Path marker = new Path(output.destination(), FileOutputCommitter.SUCCEEDED_FILE_NAME);
    try {
      put(ObjectKeys.of(marker), report.toJson());
    } catch (IOException e) {
      throw new IOException(
          output.description()
              + " is committed and all of its files are visible, but "
              + marker
              + " could not be written. Write an empty one if readers wait for it; do not run the"
              + " job again. "
              + e.getMessage(),
          e);
    }
  }

  private void put(String key, byte[] content) throws IOException {
    stores.forPath(output.destination()).putObject(key, PartBody.of(content), Map.of());
  }
}
