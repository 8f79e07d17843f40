package io.zerorename.core.log;

import java.io.IOException;
import java.util.Set;

/** The uploads of a job that are committed, which a sweep leaves alone. */
public interface CommittedUploads {
  /** How many uploads of a task attempt are committed. */
  int uploadsOf(String taskAttemptId);

  /** Those of these upload ids that are committed. */
  Set<String> among(Set<String> uploadIds) throws IOException;

  /** No upload is committed. */
  static CommittedUploads none() {
    return new CommittedUploads() {
      @Override
      public int uploadsOf(String taskAttemptId) {
        return 0;
      }

      @Override
      public Set<String> among(Set<String> uploadIds) {
        return Set.of();
      }
    };
  }
}
