package io.zerorename.magic.job;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.Version;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.DailyMaintenance;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.upload.UploadSettings;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Begins a job, or lets a later attempt of its application master go on with it. */
record JobSetup(JobOutput output, Configuration conf, ObjectStores stores) {
  /** What a job finds at its beginning. */
  enum State {
    /** Nobody has set it up before. */
    NEW,
    /** An earlier attempt of it has. */
    RESUMED,
    /** An earlier attempt of it has decided to commit it. */
    COMMITTED
  }

  /**
   * What has become of it.
   *
   * @param due what is left to be done after the job, if that is the first one of the day
   */
  record Result(State state, Optional<DailyMaintenance> due) {
    private Result(State state) {
      this(state, Optional.empty());
    }
  }

  /**
   * Sets up.
   *
   * @throws io.zerorename.core.config.InvalidSettingException where a setting is not allowed: here,
   *     because later it would leave a job half done
   */
  Result run() throws IOException {
    Version.logOnce();
    MapReduceKeys.declared().warnOfUnknown(conf);
    MapReduceKeys.all().forEach(key -> key.find(conf, output.bucket()));
    UploadSettings.from(conf, output.bucket());
    ConflictMode mode = MapReduceKeys.CONFLICT_MODE.from(conf, output.bucket());
    JobDirectory job = output.records(stores, conf);
    return output.recordsOnS3() ? runOnS3(job, mode) : runOnFileSystem(job, mode);
  }

  private Result runOnFileSystem(JobDirectory job, ConflictMode mode) throws IOException {
    WorkDirectory.of(output.workDir(), conf).openUndated();
    CommitLogs logs = output.logs(stores, conf);
    Optional<Path> begun = job.log();
    if (begun.isPresent()) {
      if (isDecided(job, logs.at(begun.get()))) {
        return new Result(State.COMMITTED);
      }
      if (JobRecord.find(job).isPresent()) {
        return new Result(State.RESUMED);
      }
    }
    Path chosen = begun.isPresent() ? begun.get() : logs.choose(output.destination());
    job.begin(chosen);
    CommitLog log = logs.at(chosen);
    boolean empty = isEmpty();
    if (mode == ConflictMode.FAIL) {
      refuseFiles(empty, log);
    }
    new JobRecord(output.description(), empty, log.now()).keep(job);
    return new Result(State.NEW, logs.due());
  }

  private Result runOnS3(JobDirectory job, ConflictMode mode) throws IOException {
    CommitLog log = output.requireLog(job, stores, conf);
    // As it is read back.
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    JobRecord note = new JobRecord(output.description(), mode == ConflictMode.FAIL, now);
    // It may be this very note, of which the first answer was lost: then nothing was looked at yet.
    if (!note.keep(job) && !JobRecord.of(job).equals(note)) {
      return new Result(isDecided(job, log) ? State.COMMITTED : State.RESUMED);
    }
    CommitLogs logs = output.logs(stores, conf);
    Path chosen = logs.choose(output.destination());
    if (!Objects.equals(chosen.toUri().getAuthority(), output.workDir().toUri().getAuthority())) {
      // One that was not looked at.
      requireConditionalWrites(note, job);
    }
    // In the other modes names are unique, whatever is there.
    if (mode == ConflictMode.FAIL) {
      refuseFiles(isEmpty(), log);
    }
    return new Result(State.NEW, logs.due());
  }

  /** A store that ignores the condition would let an attempt be given up and publish at once. */
  private void requireConditionalWrites(JobRecord note, JobDirectory job) throws IOException {
    if (note.keep(job)) {
      throw new IOException(
          output.workDir()
              + " is on a store that overwrites objects in spite of If-None-Match, so that it cannot"
              + " keep the records of a job. Set "
              + CoreKeys.WORK_DIR.name()
              + " to a directory on HDFS.");
    }
  }

  private boolean isDecided(JobDirectory job, CommitLog log) throws IOException {
    Optional<LogEntry> entry = log.find(job.jobId(), JobRecord.notDecidedBefore(job));
    if (entry.isEmpty()) {
      return false;
    }
    refuseUnlessGoingOn(entry.get().kind() != EntryKind.VOID, log.location(entry.get().number()));
    return true;
  }

  /** A later attempt of a job may find its predecessor's decision; the first may not. */
  private void refuseUnlessGoingOn(boolean committed, String location) throws IOException {
    boolean first = conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 1) <= 1;
    if (!committed || first) {
      throw new IOException(
          output.description()
              + " cannot begin: a job of the same id has "
              + (committed ? "written there" : "been aborted")
              + " before (see "
              + location
              + "). Submit the job again, so that it gets an id of its own.");
    }
  }

  /**
   * Whether there is no file at the destination. Names that begin with an underscore or a dot hide
   * what is no data: TeraSort's client leaves its partitions there, other jobs a {@code _SUCCESS}.
   */
  private boolean isEmpty() throws IOException {
    String prefix = ObjectKeys.prefixOf(output.destination());
    RemoteIterator<ObjectSummary> objects =
        stores.forPath(output.destination()).listObjects(prefix);
    while (objects.hasNext()) {
      String name = objects.next().key().substring(prefix.length());
      if (!name.isEmpty() && !name.startsWith("_") && !name.startsWith(".")) {
        return false;
      }
    }
    return true;
  }

  /** Also of a commit that is decided and was interrupted: its files will be there. */
  private void refuseFiles(boolean empty, CommitLog log) throws IOException {
    if (!empty) {
      throw exists("there are files");
    }
    for (long number : log.tail().unfinished()) {
      Optional<LogEntry> entry = log.read(number).filter(it -> it.kind() != EntryKind.VOID);
      if (entry.isPresent()) {
        throw exists(
            entry.get().job().description()
                + " is committed there and not complete (see "
                + log.location(number)
                + "; zerorename recover completes it where its process has gone)");
      }
    }
  }

  private PathExistsException exists(String what) {
    return new PathExistsException(
        output.destination().toString(),
        what
            + ", and "
            + MapReduceKeys.CONFLICT_MODE.nameIn(conf, output.bucket())
            + " is fail. Choose another destination, or set it to append or replace");
  }
}
