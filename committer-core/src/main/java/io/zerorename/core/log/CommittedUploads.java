package io.zerorename.core.log;

import io.zerorename.core.upload.PendingUpload;
import java.util.List;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/** The uploads of a job that are committed, which a sweep leaves alone. */
public interface CommittedUploads {
  /** How many uploads of a task attempt are committed. */
  int uploadsOf(String taskAttemptId);

  /** All of them. */
  RemoteIterator<PendingUpload> uploads();

  /**
   * Whether their names do not tell the job. Then no other job commits files of these names before
   * this one's entry has ended.
   */
  boolean plainNames();

  /** No upload is committed. */
  static CommittedUploads none() {
    return new CommittedUploads() {
      @Override
      public int uploadsOf(String taskAttemptId) {
        return 0;
      }

      @Override
      public RemoteIterator<PendingUpload> uploads() {
        return RemoteIterators.remoteIteratorFromIterable(List.of());
      }

      @Override
      public boolean plainNames() {
        return false;
      }
    };
  }
}
