package io.zerorename.core.job;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.IntentJournal;
import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** What writers and the commit of a job need of its records. */
public interface JobRecords {
  String jobId();

  /** Where the records are, or what they are about, for messages. */
  Path path();

  /** The journal for the writers of an attempt. */
  IntentJournal journal(String taskAttemptId);

  /**
   * A sweep of a job that was decided.
   *
   * @param committed uploads to be left alone
   */
  UploadSweep sweep(ObjectStores stores, CommittedUploads committed) throws IOException;

  /** Notes that nothing is left to do for this job. */
  void finish(UploadSweep.Result sweep) throws IOException;
}
