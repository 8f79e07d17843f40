package io.zerorename.core.commit;

/**
 * Something that goes wrong in a run of a job.
 *
 * @param step counted from 1 over the calls of the job and of the recovery that follows
 */
record Fault(int step, Kind kind) {
  /** What goes wrong with a call. */
  enum Kind {
    /** It is refused, and has no effect. */
    REFUSED,
    /** It is lost on its way. */
    LOST_BEFORE,
    /** Its answer is lost. */
    LOST_AFTER,
    /** From it on each request of the process is lost on its way. */
    OUTAGE,
    /** From it on the answers to all requests of the process are lost. */
    ANSWERS_LOST,
    /** Its answer is lost, and it takes effect only when the job has ended. */
    LOST_LATE,
    /** The process dies before it. */
    CRASH_BEFORE,
    /** The process dies after it. */
    CRASH_AFTER,
    /** The process dies, and the call takes effect only after the recovery. */
    CRASH_LATE,
    /** Its answer is lost, and it takes effect only when another job has overwritten the table. */
    LOST_LATE_OVERWRITE,
    /**
     * The process dies, and the call takes effect only when another job has overwritten the table.
     */
    CRASH_LATE_OVERWRITE,
    /** The process dies after it, and the next attempt of the job's master commits. */
    CRASH_RESTART,
    /** The process sleeps before it, until others have recovered its job. */
    STALL,
    /** And until another job has overwritten the table. */
    STALL_OVERWRITE;

    /** Whether it goes on to the end of the process. */
    boolean lasts() {
      return this == OUTAGE || this == ANSWERS_LOST;
    }

    boolean isLate() {
      return name().contains("LATE");
    }

    boolean overwrites() {
      return name().endsWith("OVERWRITE");
    }

    boolean stalls() {
      return name().startsWith("STALL");
    }
  }
}
