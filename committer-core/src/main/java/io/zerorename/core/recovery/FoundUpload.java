package io.zerorename.core.recovery;

import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A pending upload, with what the committer's records say of it.
 *
 * @param path at which its object would appear
 * @param initiated when it was begun, by the store's clock
 * @param jobId the job that it belongs to, if the records know one
 * @param active when its job last gave a sign of life; where there is none, when it was begun
 */
public record FoundUpload(
    Path path,
    String uploadId,
    Instant initiated,
    Optional<String> jobId,
    Standing standing,
    Instant active) {
  /** What may be done with an upload. */
  public enum Standing {
    /** Its job is committed and not complete: to abort it loses a file. */
    COMMITTED("committed, not complete"),

    /** Its job was neither committed nor aborted: it may be running. */
    UNDECIDED("not decided, may be running"),

    /** Its job has ended without it: no process will complete it. */
    LEFT_OVER("left over"),

    /** Records that may say that it is committed cannot be read. */
    UNREADABLE("records cannot be read"),

    /** No record of the committer's names it: it may be of another program. */
    UNKNOWN("not known to us");

    private final String text;

    Standing(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }
}
