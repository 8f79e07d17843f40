package io.zerorename.core.job;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** What writers and the commit of a job need of its records. */
public interface JobRecords {
  String jobId();

  /** Where the records are, or what they are about, for messages. */
  Path path();

  /**
   * Makes durable, where that costs no request, that a writer is about to upload or inline its
   * first file.
   *
   * @param writer a task attempt, or a commit that uploads small files
   */
  void noteWriter(String writer) throws IOException;

  /** Each upload that a writer of this process has created is in the job's entry, or aborted. */
  void settle(String writer);

  /**
   * A sweep of a job that was decided.
   *
   * @param committed uploads to be left alone
   */
  UploadSweep sweep(ObjectStores stores, CommittedUploads committed) throws IOException;

  /**
   * Notes that nothing is left to do for this job.
   *
   * @param sweep the result of the last {@link #sweep}
   */
  void finish(UploadSweep.Result sweep, Workers workers) throws IOException;
}
