package io.zerorename.magic.job;

import io.zerorename.core.commit.SeenLog;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.Version;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.fs.RemoteIterator;

/** Begins a job, or lets a later attempt of its application master continue it. */
record JobSetup(JobOutput output) {
  /**
   * @return the record of that; empty where an earlier attempt of it has done that
   * @throws io.zerorename.core.config.InvalidSettingException if a setting is not allowed
   */
  Optional<SetupRecord> run() throws IOException {
    Version.logOnce();
    MapReduceKeys.check(output.conf(), output.bucket());
    boolean mustBeEmpty = output.get(MapReduceKeys.CONFLICT_MODE) == ConflictMode.FAIL;
    JobDirectory job = output.records();
    return output.recordsOnS3() ? runOnS3(job, mustBeEmpty) : runOnFileSystem(job, mustBeEmpty);
  }

  private Optional<SetupRecord> runOnFileSystem(JobDirectory job, boolean mustBeEmpty)
      throws IOException {
    WorkDirectory work = WorkDirectory.of(output.workDir(), output.conf());
    work.create();
    CommitLog log = output.log();
    if (job.log().isPresent() && (isDecided(job, log) || SetupRecord.find(job).isPresent())) {
      return Optional.empty();
    }
    CommitLogs logs = new CommitLogs(output.stores(), output.conf());
    job.begin(logs.check(output.destination(), Optional.of(work)), List.of(output.destination()));
    boolean empty = isEmpty();
    if (mustBeEmpty) {
      refuseFiles(empty, log);
    }
    SetupRecord record = record(empty, log.now(), log);
    return record.keep(job)
        ? Optional.of(record)
        // An earlier master, which this one has overtaken for a time, has begun the job.
        : Optional.empty();
  }

  private Optional<SetupRecord> runOnS3(JobDirectory job, boolean mustBeEmpty) throws IOException {
    CommitLog log = output.log();
    Path chosen =
        new CommitLogs(output.stores(), output.conf())
            .check(output.destination(), Optional.empty());
    // By the store's clock, which is known from an answer by now, and as it is read back.
    Instant now = log.now().truncatedTo(ChronoUnit.MILLIS);
    SetupRecord record = record(mustBeEmpty, now, log);
    // It may be this very record, if the first answer was lost.
    boolean later = !record.keep(job) && !SetupRecord.of(job).equals(record);
    if (later && isDecided(job, log)) {
      return Optional.empty();
    }
    // Where the check of the commit directory was of another store: one that ignores the condition
    // would let an attempt be aborted and publish at once.
    if (!Objects.equals(chosen.toUri().getAuthority(), output.workDir().toUri().getAuthority())
        && record.keep(job)) {
      throw new IOException(
          ("ZR-6111: %s is on a store that overwrites objects in spite of If-None-Match, so that"
                  + " it cannot keep the records of a job. Set %s to a directory on HDFS.")
              .formatted(output.workDir(), CoreKeys.WORK_DIR.name()));
    }
    // In the other modes names are unique, whatever is there. An earlier attempt may have been
    // killed before it had looked.
    if (mustBeEmpty) {
      refuseFiles(isEmpty(), log);
    }
    return later ? Optional.empty() : Optional.of(record);
  }

  private SetupRecord record(boolean plainNames, Instant begun, CommitLog log) throws IOException {
    SeenLog seen =
        output.get(MapReduceKeys.CONFLICT_MODE) == ConflictMode.REPLACE
            ? SeenLog.now(log, output.conf(), output.bucket())
            : SeenLog.ALL;
    return new SetupRecord(output.description(), plainNames, begun, output.master(), seen);
  }

  private boolean isDecided(JobDirectory job, CommitLog log) throws IOException {
    Optional<LogEntry> entry = SetupRecord.decision(job, log);
    if (entry.isEmpty()) {
      return false;
    }
    // A later attempt of the application master may find its predecessor's decision.
    boolean committed = entry.get().kind() != EntryKind.VOID;
    if (!committed || output.master() <= 1) {
      throw new IOException(
          ("ZR-6112: %s cannot begin: a job of the same id has %s before (see %s). Submit the job"
                  + " again, so that it gets an id of its own.")
              .formatted(
                  output.description(),
                  committed ? "written there" : "been aborted",
                  log.location(entry.get().number())));
    }
    return true;
  }

  /**
   * Whether there is no file at the destination. Names that begin with an underscore or a dot are
   * not data: TeraSort's client leaves its partitions there, other jobs a {@code _SUCCESS}.
   */
  private boolean isEmpty() throws IOException {
    String prefix = ObjectKeys.prefixOf(output.destination());
    RemoteIterator<ObjectSummary> objects =
        output.stores().forPath(output.destination()).listObjects(prefix);
    while (objects.hasNext()) {
      String name = objects.next().key().substring(prefix.length());
      if (!name.isEmpty() && !name.startsWith("_") && !name.startsWith(".")) {
        return false;
      }
    }
    return true;
  }

  /**
   * Files of an open commit count too: they will be there. To a repetition those do not matter that
   * its run has written, and it writes none.
   */
  private void refuseFiles(boolean empty, CommitLog log) throws IOException {
    if (Recovery.findRun(output.describe(false), log).isPresent()) {
      return;
    }
    if (!empty) {
      throw exists("there are files");
    }
    for (long number : log.tail().open()) {
      Optional<LogEntry> entry = log.read(number).filter(it -> it.kind() != EntryKind.VOID);
      if (entry.isPresent()) {
        throw exists(
            ("ZR-6113: %s is committed there and not complete (see %s; zerorename recover"
                    + " completes it)")
                .formatted(entry.get().job().description(), log.location(number)));
      }
    }
  }

  private PathExistsException exists(String what) {
    return new PathExistsException(
        output.destination().toString(),
        "ZR-6114: %s, and %s is fail. Choose another destination, or set it to append or replace"
            .formatted(what, MapReduceKeys.CONFLICT_MODE.nameIn(output.conf(), output.bucket())));
  }
}
