package io.zerorename.magic.job;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.CommitRequest.Committer;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.SeenLog;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSnapshot;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the files of a job visible, and then its {@code _SUCCESS}. May be repeated.
 *
 * @param job the job's records
 * @param begun the record of its set-up, if there is one
 */
record OutputCommit(
    JobOutput output, JobContext context, JobDirectory job, Optional<SetupRecord> begun) {
  private static final Logger LOG = LoggerFactory.getLogger(OutputCommit.class);

  /**
   * Commits the job. Then it resumes commits of others at the destination, and removes what earlier
   * jobs have left; no failure of these fails the job.
   *
   * @return figures of the commit; none if it was complete before
   */
  IOStatistics run() throws IOException {
    CommitLog log = output.log();
    ObjectStores stores = output.stores();
    CommitReport report =
        new JobCommit(
                stores,
                job,
                log,
                output.commitSettings(),
                progress(),
                new CommitRequest(
                    output.describe(output.plainNames(job)),
                    onePerTask(job),
                    output.get(MapReduceKeys.CONFLICT_MODE) == ConflictMode.REPLACE
                        ? Overwrite.directory(output.destination())
                        : Overwrite.none(),
                    begun.map(SetupRecord::begun),
                    new StrayFiles(output)::refuseFiles,
                    () -> {},
                    Committer.ONE_OF_SEVERAL,
                    begun.map(SetupRecord::seen).orElse(SeenLog.ALL)))
            .run();
    new Recovery(stores, log, output.commitSettings(), output.recovery(false)).completeRun(report);
    IOStatistics statistics = new IOStatisticsSnapshot();
    // With records on S3 the check would cost requests; it matters if a decision was found.
    // Of a repetition no task's files are committed.
    if (report.repeats().isEmpty() && (!output.recordsOnS3() || report.decidedBefore())) {
      refuseLate(log, report.open());
    }
    if (report.open().isPresent()) {
      int files = output.get(MapReduceKeys.SUCCESS_FILE_LIMIT);
      statistics = new SuccessMarker(stores).end(report, stores.requests(), files);
    }
    LOG.info("zero-rename: {}", report.line(output.description(), stores.requests()));
    if (!report.openEntries().isEmpty()) {
      output.recovery(true).run(log);
    }
    report.cut(log, output.get(CoreKeys.LOG_DAYS));
    if (!output.recordsOnS3()) {
      endOldJobs();
    }
    return statistics;
  }

  private CommitProgress progress() {
    return CommitProgress.from(
        output.conf(),
        message -> {
          LOG.info("zero-rename: {}: {}", output.description(), message);
          // Contexts of the new API take no progress, unless they are of a task attempt.
          if (context instanceof Progressable progressable) {
            progressable.progress();
          } else if (context instanceof org.apache.hadoop.mapred.JobContext older) {
            older.getProgressible().progress();
          }
        });
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
              Optional<TaskManifest> manifest = job.attempts().of(latest.toString());
              if (manifest.isPresent()) {
                action.accept(manifest.get());
                return;
              }
            }
          });
    };
  }

  /**
   * Refuses a task that committed after the decision, so that its files would be lost silently.
   * That happens if two vertices of a Tez DAG share a destination and each commits as it finishes.
   */
  private void refuseLate(CommitLog log, Optional<OpenCommit> open) throws IOException {
    Set<String> recorded = new TreeSet<>(job.attempts().ids());
    if (recorded.isEmpty()) {
      // The end of the job has deleted its records, and no task has run since.
      return;
    }
    CommitPlan plan =
        open.isPresent()
            ? open.get().plan()
            : log.plan(SetupRecord.decision(job, log).orElseThrow());
    Set<TaskID> committed =
        plan.attempts().stream()
            // A task that has other records than those of the plan ran again since.
            .filter(attempt -> open.isPresent() || recorded.contains(attempt))
            .map(OutputCommit::taskOf)
            .collect(Collectors.toSet());
    for (String attempt : recorded) {
      if (!committed.contains(taskOf(attempt))
          && job.attempts().of(attempt).filter(late -> !late.files().isEmpty()).isPresent()) {
        if (open.isPresent()) {
          // What was decided is complete. If it stayed open, a later job would write the _SUCCESS.
          open.get().end();
        }
        throw new IOException(
            ("ZR-6115: %s lacks the files of task attempt %s, which has committed after the job."
                    + " If two vertices of a Tez DAG write to one directory, give each its own, or"
                    + " set tez.am.commit-all-outputs-on-dag-success to true.")
                .formatted(output.description(), attempt));
      }
    }
  }

  private void endOldJobs() {
    try {
      WorkDirectory.of(output.workDir(), output.conf()).deleteOld();
    } catch (IOException | RuntimeException e) {
      LOG.warn("ZR-6105: Cannot remove what old jobs have left in {}", output.workDir(), e);
    }
  }

  private static TaskID taskOf(String taskAttemptId) {
    return TaskAttemptID.forName(taskAttemptId).getTaskID();
  }
}
