package io.zerorename.magic.job;

import io.zerorename.core.commit.Decision;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Begins a job, or lets a later attempt of its application master go on with it. */
record JobSetup(JobOutput output, Configuration conf, ObjectStores stores) {
  void run() throws IOException {
    ConflictMode mode = MapReduceKeys.CONFLICT_MODE.from(conf);
    if (!output.recordsOnS3()) {
      WorkDirectory.of(output.workDir(), conf).openUndated();
    }
    JobDirectory job = output.records(stores, conf);
    Optional<Decision> decision = job.decisions().read();
    if (decision.isPresent()) {
      refuseUnlessGoingOn(decision.get(), job);
      return;
    }
    if (!output.recordsOnS3() && JobNote.find(job).isPresent()) {
      return;
    }
    if (output.recordsOnS3() && mode != ConflictMode.FAIL) {
      // Names are unique, whatever is there.
      return;
    }
    boolean empty = isEmpty(output.destination());
    if (mode == ConflictMode.FAIL && !empty) {
      throw new PathExistsException(
          output.destination().toString(),
          "there are files, and "
              + MapReduceKeys.CONFLICT_MODE.name()
              + " is fail. Choose another destination, or set it to append or replace");
    }
    if (!output.recordsOnS3()) {
      new JobNote(output.description(), empty).keep(job);
    }
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

  /** Whether there is no object below a directory, not counting its own marker. */
  private boolean isEmpty(Path directory) throws IOException {
    String prefix = ObjectKeys.prefixOf(directory);
    try {
      Iterator<ObjectSummary> objects = stores.forPath(directory).listObjects(prefix);
      while (objects.hasNext()) {
        if (!objects.next().key().equals(prefix)) {
          return false;
        }
      }
      return true;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
