package io.zerorename.core.recovery;

/**
 * What a recovery would do with an entry that has not ended.
 *
 * @param jobId of the job that it decides; empty where it cannot be read
 * @param description of that job
 * @param reason why it is left alone; empty where it is not
 * @param uploads that are completed, unless their files are visible
 * @param replaced old objects that are deleted, unless they are gone or have changed
 */
public record PlannedRecovery(
    long number,
    String jobId,
    String description,
    Step step,
    String reason,
    int uploads,
    int replaced) {
  /** What is done with an entry. */
  public enum Step {
    /** It is executed. */
    COMPLETE,
    /** Its files are in place, and the metastore is left to Hive. */
    LEAVE_TO_HIVE,
    /** It must not be executed here. */
    REFUSE,
    /** Its records are not what was written. */
    UNREADABLE
  }

  static PlannedRecovery none(
      long number, String jobId, String description, Step step, String reason) {
    return new PlannedRecovery(number, jobId, description, step, reason, 0, 0);
  }
}
