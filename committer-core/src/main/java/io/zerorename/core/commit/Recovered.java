package io.zerorename.core.commit;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.OtherVersionException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** What a recovery found, and made, of one job that had not come to its end. */
public sealed interface Recovered {
  /** The job's id. */
  String jobId();

  /** What happened, and what is to be done, in one or two sentences. */
  String message();

  /** It was committed, and is now complete. */
  record Completed(String jobId, CommitPlan plan) implements Recovered {
    @Override
    public String message() {
      return plan.description()
          + " had been committed and broken off; it is complete now, with "
          + plan.fileCount()
          + " files and "
          + plan.replacedCount()
          + " replaced ones.";
    }
  }

  /** It had not been committed, and never will be. */
  record RolledBack(String jobId, int uploads) implements Recovered {
    @Override
    public String message() {
      return "Job "
          + jobId
          + " had been broken off before its commit was decided; nothing of it is visible, "
          + uploads
          + " pending uploads were aborted.";
    }
  }

  /** Another process may still be at work on it; nothing was touched. */
  record UnderWay(String jobId, Instant since, String by) implements Recovered {
    @Override
    public String message() {
      return "The commit of job "
          + jobId
          + " was begun at "
          + since
          + " by "
          + by
          + " and may be still under way; it was left alone.";
    }
  }

  /** It is at its end; requests of a process that was cut off may reach the store until a time. */
  record Settling(String jobId, Instant until) implements Recovered {
    @Override
    public String message() {
      return "Job "
          + jobId
          + " is at its end. Requests of a process that was cut off may have an effect until "
          + until
          + "; jobs that replace files wait for that.";
    }
  }

  /**
   * It was committed, and the store may still be making some of its files.
   *
   * @param missing files that are neither pending nor there
   * @param lostFrom when they are lost if they are missing then, by the log's clock
   * @param why in words
   */
  record Missing(String jobId, List<Path> missing, Instant lostFrom, String why)
      implements Recovered {
    public Missing {
      missing = List.copyOf(missing);
    }

    @Override
    public String message() {
      return "Job " + jobId + " is committed and not yet complete: " + why;
    }
  }

  /** It was committed, and some of its files are lost. */
  record Damaged(String jobId, List<Path> lost, String message) implements Recovered {
    public Damaged {
      lost = List.copyOf(lost);
    }
  }

  /**
   * An operator has ended it as it was.
   *
   * @param uploads how many were aborted
   * @param lost files of it that are lost
   * @param missing files that were neither pending nor there when somebody has looked
   * @param appearing until when files of it may yet appear; empty where none can
   */
  record GivenUp(
      String jobId, int uploads, List<Path> lost, List<Path> missing, Optional<Instant> appearing)
      implements Recovered {
    public GivenUp {
      lost = List.copyOf(lost);
      missing = List.copyOf(missing);
    }

    @Override
    public String message() {
      return "Job "
          + jobId
          + " was given up: what is visible of it stays, "
          + uploads
          + " pending uploads were aborted."
          + appearing
              .map(
                  until ->
                      " Files of it that the store was making may yet appear until "
                          + until
                          + ", which jobs that replace files wait for.")
              .orElse("");
    }
  }

  /**
   * It could not be brought to its end now; nothing may be deleted in its place.
   *
   * @param never whether nothing of it ever becomes visible any more: only uploads are left of it,
   *     as it never commits, or only records, as it is complete
   */
  record Failed(String jobId, String message, Exception cause, boolean never) implements Recovered {
    /** Whether its records are not what was written, so that nobody ever can. */
    public boolean isUnreadable() {
      return cause instanceof MalformedManifestException
          && !(cause instanceof OtherVersionException);
    }
  }

  /**
   * Whether somebody may yet make files of it visible. An overwrite that went on regardless would
   * be followed by rows that are older than its own.
   */
  default boolean isPending() {
    return this instanceof UnderWay
        || this instanceof Missing
        || (this instanceof Failed failed && !failed.never() && !failed.isUnreadable());
  }
}
