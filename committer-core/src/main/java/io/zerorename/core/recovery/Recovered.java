package io.zerorename.core.recovery;

import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.document.OtherVersionException;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** What a recovery found, and made, of one entry that had not ended. */
public sealed interface Recovered {
  long number();

  /** The id of the job that it decides; empty where it cannot be read. */
  String jobId();

  /** What happened, and what is to be done, in one or two sentences. */
  String message();

  /** Whether no file of it can appear any more, though partitions may yet have to be registered. */
  default boolean isExecuted() {
    return this instanceof Completed
        || this instanceof MetastoreOpen
        || (this instanceof Damaged damaged && damaged.state().isExecuted());
  }

  /** Of an entry that can be read. */
  sealed interface OfEntry extends Recovered {
    LogEntry entry();

    @Override
    default long number() {
      return entry().number();
    }

    @Override
    default String jobId() {
      return entry().job().id();
    }
  }

  /** All of it is done. */
  record Completed(LogEntry entry, CommitPlan plan) implements OfEntry {
    @Override
    public String message() {
      return ("%s was committed as entry %s and interrupted; it is complete now (files: %s,"
              + " replaced: %s).")
          .formatted(plan.job().description(), number(), plan.fileCount(), plan.replacedCount());
    }
  }

  /** All of its files are in place; partitions have yet to be registered by Hive. */
  record MetastoreOpen(LogEntry entry, CommitPlan plan) implements OfEntry {
    @Override
    public String message() {
      return ("ZR-1302: All files (%s) of %s (entry %s) are in place. The next INSERT into that table"
              + " registers its partitions in the metastore; with --without-metastore it is completed"
              + " now.")
          .formatted(plan.fileCount(), plan.job().description(), number());
    }
  }

  /**
   * Of a commit that was executed where nobody can register its partitions.
   *
   * @param lost files that will never be visible
   */
  static Recovered metastoreOpen(LogEntry entry, CommitPlan plan, List<Path> lost) {
    return lost.isEmpty()
        ? new MetastoreOpen(entry, plan)
        : new Damaged(entry, lost, EntryState.METASTORE_OPEN);
  }

  /** It is younger than the grace period: its process may be executing it; nothing was touched. */
  record UnderWay(LogEntry entry, Instant since) implements OfEntry {
    @Override
    public String message() {
      return ("ZR-1303: %s was committed as entry %s at %s, and its process may still be completing"
              + " it; it was not touched.")
          .formatted(entry.job().description(), number(), since);
    }
  }

  /** It is left to an operator. */
  record Left(LogEntry entry, String reason) implements OfEntry {
    @Override
    public String message() {
      return RecoveryAdvice.afterInterruption(entry, reason);
    }
  }

  /** This process has deleted nothing: a later entry, which failed, has to be executed before. */
  record Behind(LogEntry entry) implements OfEntry {
    @Override
    public String message() {
      return ("ZR-1314: %s was committed as entry %s and interrupted. Files of it are gone, and a"
              + " later overwrite that replaces them has to be completed before it. This attempt"
              + " deleted nothing.")
          .formatted(entry.job().description(), number());
    }
  }

  /**
   * Files of it are lost.
   *
   * @param state LEFT of an overwrite, which keeps what it would replace; otherwise DAMAGED, or
   *     before that METASTORE_OPEN
   */
  record Damaged(LogEntry entry, List<Path> lost, EntryState state) implements OfEntry {
    @Override
    public String message() {
      return ("ZR-1311: %s (entry %s) has lost files (%s): their uploads or records have vanished,"
              + " or another program has deleted what was visible. The first is %s. %s")
          .formatted(
              entry.job().description(),
              number(),
              lost.size(),
              lost.get(0),
              switch (state) {
                case LEFT ->
                    "The others are visible, and this attempt did not delete the files that it"
                        + " replaces. To end it without the lost ones: "
                        + RecoveryAdvice.of(entry.job())
                        + " --give-up";
                case METASTORE_OPEN ->
                    "All others are visible. The next INSERT into that table registers its"
                        + " partitions in the metastore; with --without-metastore it ends now.";
                default -> "All others are visible.";
              });
    }
  }

  /**
   * An operator has ended it without what was lost.
   *
   * @param lost files that will never be visible
   */
  record GivenUp(long number, String jobId, List<Path> lost) implements Recovered {
    @Override
    public String message() {
      return "ZR-1304: Entry %s%s was given up: what is visible of it stays. Known lost files: %s."
          .formatted(number, jobId.isEmpty() ? "" : " of job " + jobId, lost.size());
    }
  }

  /** It could not be completed now. */
  record Failed(long number, String jobId, String message, Exception cause) implements Recovered {
    /** Whether its records are not what was written, so that no process ever can. */
    public boolean isUnreadable() {
      return cause instanceof MalformedDocumentException
          && !(cause instanceof OtherVersionException);
    }
  }
}
