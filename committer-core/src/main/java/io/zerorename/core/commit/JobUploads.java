package io.zerorename.core.commit;

import io.zerorename.core.upload.IntentJournal;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/** Which uploads a job has begun, as far as its records tell. */
interface JobUploads {
  /**
   * An upload that was announced.
   *
   * @param uploadId empty where the writer ended before it could say
   */
  record Entry(Path destination, Optional<String> uploadId) {}

  /** The journal for the writers of a task attempt. */
  IntentJournal journalOf(String taskAttemptId);

  /**
   * Every upload of the job that is not known.
   *
   * @param known ids of uploads that need not be returned
   */
  List<Entry> read(Set<String> known, Workers workers) throws IOException;

  /** Every upload of a task attempt. */
  List<Entry> readAttempt(String taskAttemptId, Workers workers) throws IOException;

  /** Whether no upload was ever announced, as far as is known. */
  boolean isEmpty() throws IOException;

  /** Forgets the uploads of a job of which none is pending any more. */
  void forget() throws IOException;
}
