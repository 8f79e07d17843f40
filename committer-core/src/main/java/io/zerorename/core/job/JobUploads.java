package io.zerorename.core.job;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.upload.IntentJournal;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/** Which uploads a job has begun, as far as its records say. */
public interface JobUploads {
  /**
   * An upload of which the journal has the intent.
   *
   * @param uploadId empty where the writer ended before it could say
   */
  record Entry(Path destination, Optional<String> uploadId) {}

  /** Without the entries of committed uploads. */
  static List<Entry> without(CommittedUploads committed, List<Entry> entries) throws IOException {
    Set<String> ids = new HashSet<>();
    entries.forEach(entry -> entry.uploadId().ifPresent(ids::add));
    Set<String> spared = committed.among(ids);
    return entries.stream()
        .filter(entry -> entry.uploadId().filter(spared::contains).isEmpty())
        .toList();
  }

  /** The journal for the writers of a task attempt. */
  IntentJournal journalOf(String taskAttemptId);

  /** Every upload of the job that is not committed. */
  List<Entry> read(CommittedUploads committed, Workers workers) throws IOException;

  /** Every upload of a task attempt. */
  List<Entry> readAttempt(String taskAttemptId, Workers workers) throws IOException;

  /** Whether a task attempt has an inlined file, as far as is known. */
  boolean hasInlined(String taskAttemptId) throws IOException;

  /** Whether no upload was ever intended, as far as is known. */
  boolean isEmpty() throws IOException;

  /** Forgets the uploads of a job of which none is pending any more. */
  void forget() throws IOException;
}
