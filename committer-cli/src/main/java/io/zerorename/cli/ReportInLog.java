package io.zerorename.cli;

import io.zerorename.cli.JobReportFile.WrittenObject;
import io.zerorename.cli.command.Session;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.JobHistory;
import io.zerorename.core.recovery.LoggedJob;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The job of a {@code _SUCCESS} in the commit log of its destination. Not every job leaves a {@code
 * _SUCCESS}, and that of a recovered job names no file.
 *
 * @param entry in the log, which decides the job
 */
record ReportInLog(CommitLog log, LogEntry entry) {
  /** Of ended jobs, of which each costs up to three requests. */
  private static final int JOBS = 5;

  /** Looks into the log of a report's directory; there is none for one that lies elsewhere. */
  static Optional<ReportInLog> of(JobReportFile report, ObjectStores stores, Session session)
      throws IOException {
    Path destination = report.source().getParent();
    if (report.source().getName().equals("_SUCCESS")
        && S3AFileSystems.holds(destination, session.conf())) {
      CommitLog log = new CommitLogs(stores, session.conf()).of(destination);
      return log.find(report.jobId(), log.tailDownTo(1)).map(entry -> new ReportInLog(log, entry));
    }
    return Optional.empty();
  }

  /** The latest job that was committed there after the report's. */
  Optional<LoggedJob> later() throws IOException {
    return new JobHistory(log, List.of())
        .latest(JOBS).stream()
            .filter(job -> job.number().orElse(0) > entry.number())
            .filter(job -> job.state() != LoggedJob.State.ABORTED)
            .max(Comparator.comparing(job -> job.number().getAsLong()));
  }

  /** All files of the report's job, without ETags; empty where no log has them any more. */
  List<WrittenObject> files() throws IOException {
    List<WrittenObject> written = new ArrayList<>();
    RemoteIterator<PendingUpload> files = log.plan(entry).uploads();
    while (files.hasNext()) {
      PendingUpload file = files.next();
      written.add(
          new WrittenObject(
              file.destination(),
              OptionalLong.of(file.length()),
              Optional.of(file.identity()),
              Optional.empty()));
    }
    return written;
  }
}
