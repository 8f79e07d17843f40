package io.zerorename.magic.job;

import io.zerorename.core.commit.Decision;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.upload.UploadSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Begins a job, or lets a later attempt of its application master go on with it. */
record JobSetup(JobOutput output, Configuration conf, ObjectStores stores) {
  /**
   * Sets up.
   *
   * @return whether an earlier attempt of the job has decided to commit it
   * @throws io.zerorename.core.config.InvalidSettingException where a setting is not allowed: here,
   *     because later it would leave a job half done
   */
  boolean run() throws IOException {
    MapReduceKeys.all().forEach(key -> key.find(conf));
    UploadSettings.from(conf, output.destination().toUri().getAuthority());
    ConflictMode mode = MapReduceKeys.CONFLICT_MODE.from(conf);
    JobDirectory job = output.records(stores, conf);
    return output.recordsOnS3() ? runOnS3(job, mode) : runOnFileSystem(job, mode);
  }

  private boolean runOnFileSystem(JobDirectory job, ConflictMode mode) throws IOException {
    WorkDirectory.of(output.workDir(), conf).openUndated();
    if (isDecided(job)) {
      return true;
    }
    if (JobNote.find(job).isEmpty()) {
      boolean empty = isEmpty();
      if (mode == ConflictMode.FAIL && !empty) {
        throw exists();
      }
      new JobNote(output.description(), empty).keep(job);
    }
    return false;
  }

  /** Two requests where it is the first set-up of the job, and a listing in mode fail. */
  private boolean runOnS3(JobDirectory job, ConflictMode mode) throws IOException {
    JobNote note = new JobNote(output.description(), mode == ConflictMode.FAIL);
    if (note.keep(job)) {
      requireConditionalWrites(note, job);
    } else if (isDecided(job)) {
      return true;
    }
    // In the other modes names are unique, whatever is there.
    if (mode == ConflictMode.FAIL && !isEmpty()) {
      throw exists();
    }
    return false;
  }

  /** A store that ignores the condition would let two processes decide differently. */
  private void requireConditionalWrites(JobNote note, JobDirectory job) throws IOException {
    if (note.keep(job)) {
      throw new IOException(
          output.workDir()
              + " is on a store that overwrites objects in spite of If-None-Match, so that it cannot"
              + " keep the decision about a job. Set "
              + CoreKeys.WORK_DIR.name()
              + " to a directory on HDFS.");
    }
  }

  private boolean isDecided(JobDirectory job) throws IOException {
    Optional<Decision> decision = job.decisions().read();
    if (decision.isEmpty()) {
      return false;
    }
    refuseUnlessGoingOn(decision.get(), job);
    return true;
  }

  /** A later attempt of a job may find its predecessor's decision; the first may not. */
  private void refuseUnlessGoingOn(Decision decision, JobDirectory job) throws IOException {
    boolean first = conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 1) <= 1;
    if (decision.plan().isEmpty() || first) {
      throw new IOException(
          output.description()
              + " cannot begin: a job of the same id has "
              + (decision.plan().isEmpty() ? "been aborted" : "written there")
              + " before (see "
              + job.decisions().location()
              + "). Submit the job again, so that it gets an id of its own.");
    }
  }

  /**
   * Whether there is no file at the destination. Names that begin with an underscore or a dot hide
   * what is no data: TeraSort's client leaves its partitions there, other jobs a {@code _SUCCESS}.
   */
  private boolean isEmpty() throws IOException {
    String prefix = ObjectKeys.prefixOf(output.destination());
    try {
      Iterator<ObjectSummary> objects = stores.forPath(output.destination()).listObjects(prefix);
      while (objects.hasNext()) {
        String name = objects.next().key().substring(prefix.length());
        if (!name.isEmpty() && !name.startsWith("_") && !name.startsWith(".")) {
          return false;
        }
      }
      return true;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private PathExistsException exists() {
    return new PathExistsException(
        output.destination().toString(),
        "there are files, and "
            + MapReduceKeys.CONFLICT_MODE.name()
            + " is fail. Choose another destination, or set it to append or replace");
  }
}
