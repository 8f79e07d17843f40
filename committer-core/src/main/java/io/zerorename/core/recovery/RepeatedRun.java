package io.zerorename.core.recovery;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.RunId;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.Path;

/** What a job does whose run another job has committed: it sees to it that all of that is there. */
public record RepeatedRun(
    ObjectStores stores, CommitLog log, CommitSettings settings, JobEngine engine) {
  /**
   * The entry that has committed the run of a job, before its tasks write. One request per 1,000
   * records of the log, and one for each entry that has not ended; none for a job without a run.
   */
  public static Optional<LogEntry> find(OutputJob job, CommitLog log) throws IOException {
    return job.run().isEmpty()
        ? Optional.empty()
        : log.find(job, log.tailSince(Instant.EPOCH)).filter(it -> it.kind().commits());
  }

  /**
   * Executes the entry, if it has not ended, and looks for each of its files: whoever repeats the
   * run expects its rows. One request per file. Nothing where the job has committed itself.
   *
   * @throws IOException where the entry cannot be completed now, or files of it are gone
   */
  public void complete(CommitReport report) throws IOException {
    if (report.repeats().isEmpty()) {
      return;
    }
    LogEntry entry = report.entry();
    Optional<Recovered> open = new Recovery(stores, log, settings, engine).complete(entry.number());
    if (open.filter(it -> !isComplete(it)).isPresent()) {
      throw new IOException(
          ("ZR-1137: The run \"%s\" (%s) was committed before, and is not complete. This attempt has"
                  + " written nothing. Repeat it once the cause is mended: %s")
              .formatted(idOf(entry), CoreKeys.RUN_ID.name(), open.get().message()));
    }
    Queue<Path> gone = new ConcurrentLinkedQueue<>();
    settings
        .workers()
        .forEach(
            log.plan(entry).uploads(),
            file -> {
              if (!file.isThere(stores)) {
                gone.add(file.destination());
              }
            });
    if (!gone.isEmpty()) {
      throw new IOException(
          ("ZR-1138: The run \"%s\" (%s) was committed by job %s at %s as entry %s, and since then"
                  + " files of it (%s) were replaced, deleted or lost, such as %s. This attempt has"
                  + " written nothing. If the rows are to be written again, run it with another id.")
              .formatted(
                  idOf(entry),
                  CoreKeys.RUN_ID.name(),
                  entry.job().id(),
                  report.repeats().get(),
                  entry.number(),
                  gone.size(),
                  gone.peek()));
    }
  }

  private static boolean isComplete(Recovered result) {
    return result instanceof Recovered.Completed || result instanceof Recovered.MetastoreOpen;
  }

  private static String idOf(LogEntry entry) {
    return entry.job().run().map(RunId::id).orElse("");
  }
}
