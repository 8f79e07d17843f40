package io.zerorename.cli;

import io.zerorename.cli.JobReportFile.WrittenObject;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The job of a {@code _SUCCESS} in the commit log of its destination. Not every job leaves a {@code
 * _SUCCESS}, and that of a recovered job names no file.
 *
 * @param entry in the log, which decides the job
 */
record ReportInLog(Path destination, CommitLog log, LogTail tail, LogEntry entry) {
  /** Looks into the log of a report's directory; there is none for one that lies elsewhere. */
  static Optional<ReportInLog> of(JobReportFile report, ObjectStores stores, Configuration conf)
      throws IOException {
    Optional<Path> destination = report.destination(conf);
    if (destination.isEmpty()) {
      return Optional.empty();
    }
    CommitLog log = new CommitLogs(stores, conf).of(destination.get());
    LogTail tail = log.tailDownTo(1);
    return log.find(report.jobId(), tail)
        .map(entry -> new ReportInLog(destination.get(), log, tail, entry));
  }

  /** The latest job that was committed there after the report's. */
  Optional<LoggedJob> later() throws IOException {
    JobHistory history = new JobHistory(log, destination, List.of());
    for (long number : JobHistory.latestFirst(tail)) {
      Optional<LoggedJob> job =
          number > entry.number() ? history.read(number, tail) : Optional.empty();
      if (job.filter(it -> it.state() != LoggedJob.State.ABORTED).isPresent()) {
        return job;
      }
    }
    return Optional.empty();
  }

  /** All files of the report's job, without ETags; empty where no log has them any more. */
  List<WrittenObject> files() throws IOException {
    List<WrittenObject> written = new ArrayList<>();
    RemoteIterator<PendingUpload> files = log.plan(entry).uploads();
    while (files.hasNext()) {
      PendingUpload file = files.next();
      written.add(new WrittenObject(file.destination().toString(), file.length(), file.identity()));
    }
    return written;
  }
}
