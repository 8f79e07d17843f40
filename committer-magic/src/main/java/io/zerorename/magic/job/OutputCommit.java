package io.zerorename.magic.job;

import io.zerorename.core.commit.CommitLine;
import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.CountedStores;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the files of a job visible, and then its {@code _SUCCESS}. May be repeated.
 *
 * @param begun when the job was set up, if this process knows
 */
record OutputCommit(
    JobOutput output, CountedStores stores, Optional<Instant> begun, CommitProgress progress) {
  private static final Logger LOG = LoggerFactory.getLogger(OutputCommit.class);

  /**
   * A job whose commit is complete.
   *
   * @param foundOpenEntries whether entries of other jobs at its destination are open
   * @param log of its destination
   */
  record Result(JobReport report, boolean foundOpenEntries, CommitLog log) {}

  Result run() throws IOException {
    JobDirectory job = output.records(stores);
    CommitLog log = output.requireLog(job, stores);
    ConflictMode mode = output.get(MapReduceKeys.CONFLICT_MODE);
    OutputJob described = output.describe(job);
    CommitReport report =
        new JobCommit(stores, job, log, output.commitSettings(), progress)
            .notingEtags(output.get(MapReduceKeys.SUCCESS_FILE_LIMIT))
            .run(
                CommitRequest.ofSeveral(
                    described,
                    onePerTask(job).withoutFiles(() -> new StrayFiles(output).refuseFiles(stores)),
                    mode == ConflictMode.REPLACE
                        ? Overwrite.directory(output.destination())
                        : Overwrite.none(),
                    begun(job)));
    try {
      JobReport result = end(job, described, report);
      LOG.info(
          "zero-rename: {}", new CommitLine(output.description(), report, stores.counts().toMap()));
      return new Result(result, !report.openEntries().isEmpty(), log);
    } finally {
      report.open().ifPresent(OpenCommit::close);
    }
  }

  /** With records on S3 it costs a request to read when the job was set up. */
  private Optional<Instant> begun(JobDirectory job) throws IOException {
    return output.recordsOnS3() && begun.isPresent()
        ? begun
        : SetupRecord.find(job).map(SetupRecord::begun);
  }

  private JobReport end(JobDirectory job, OutputJob described, CommitReport report)
      throws IOException {
    JobReport result =
        JobReport.committed(
            described,
            report,
            stores.counts().toMap(),
            output.get(MapReduceKeys.SUCCESS_FILE_LIMIT));
    Optional<OpenCommit> open = report.open();
    Set<TaskID> missing;
    if (open.isEmpty()) {
      missing = invisible(job);
    } else if (!output.recordsOnS3() || report.decidedBefore()) {
      missing = uncommitted(job, open.get().plan());
    } else {
      // With records on S3 the check would cost requests; it matters if a decision was found.
      missing = Set.of();
    }
    Optional<String> late = late(job, missing);
    if (late.isPresent()) {
      if (open.isPresent()) {
        // What was decided is complete. If it stayed open, a later job would write the _SUCCESS.
        open.get().finish();
      }
      throw new IOException(late.get());
    }
    if (open.isPresent()) {
      new SuccessMarker(stores).end(open.get(), result);
    }
    return result;
  }

  /**
   * The manifests of one attempt per task. Where several have committed, because one failed after
   * its commit, each is a whole output of the task; the latest is taken.
   */
  private static ManifestSource onePerTask(JobDirectory job) {
    return (workers, action) -> {
      Map<TaskID, NavigableSet<TaskAttemptID>> attempts = new HashMap<>();
      for (String attempt : job.attempts().listed()) {
        TaskAttemptID id = TaskAttemptID.forName(attempt);
        attempts.computeIfAbsent(id.getTaskID(), it -> new TreeSet<>()).add(id);
      }
      workers.forEach(
          attempts.values(),
          ofTask -> {
            for (TaskAttemptID latest : ofTask.descendingSet()) {
              if (job.attempts().choose(latest.toString(), action)) {
                return;
              }
            }
          });
    };
  }

  /**
   * A message if a task committed after the decision, so that its files would be lost silently.
   * That happens if two vertices of a Tez DAG share a destination and each commits as it finishes.
   */
  private Optional<String> late(JobDirectory job, Set<TaskID> tasks) throws IOException {
    for (String attempt : tasks.isEmpty() ? List.<String>of() : job.attempts().ids()) {
      if (tasks.contains(taskOf(attempt))
          && job.attempts().of(attempt).filter(late -> !late.files().isEmpty()).isPresent()) {
        return Optional.of(
            ("ZR-6115: %s lacks the files of task attempt %s, which has committed after the job."
                    + " If two vertices of a Tez DAG write to one directory, give each its own, or"
                    + " set tez.am.commit-all-outputs-on-dag-success to true.")
                .formatted(output.description(), attempt));
      }
    }
    return Optional.empty();
  }

  /** The tasks with records that the plan does not have. */
  private static Set<TaskID> uncommitted(JobDirectory job, CommitPlan plan) throws IOException {
    Set<TaskID> tasks = new HashSet<>();
    job.attempts().ids().forEach(attempt -> tasks.add(taskOf(attempt)));
    plan.attempts().forEach(attempt -> tasks.remove(taskOf(attempt)));
    return tasks;
  }

  /** The same if the plan is gone: a task with a visible file was committed. */
  private Set<TaskID> invisible(JobDirectory job) throws IOException {
    Set<TaskID> tasks = new HashSet<>();
    Set<TaskID> visible = new HashSet<>();
    for (String attempt : job.attempts().ids()) {
      tasks.add(taskOf(attempt));
      for (OutputFile file :
          job.attempts().of(attempt).stream()
              .flatMap(manifest -> manifest.files().stream())
              .toList()) {
        if (stores
            .forPath(file.destination())
            .headObject(file.key())
            .filter(file::isIdentityOf)
            .isPresent()) {
          visible.add(taskOf(attempt));
        }
      }
    }
    tasks.removeAll(visible);
    return tasks;
  }

  private static TaskID taskOf(String taskAttemptId) {
    return TaskAttemptID.forName(taskAttemptId).getTaskID();
  }
}
