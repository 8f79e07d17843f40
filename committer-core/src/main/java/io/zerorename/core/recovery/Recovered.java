package io.zerorename.core.recovery;

import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.OtherVersionException;
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

  /** The same without what is to be done. */
  default String finding() {
    return message();
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
      return ("%s was committed as entry %s and interrupted; it is complete now, with %s %s and %s"
              + " %s.")
          .formatted(
              plan.description(),
              number(),
              plan.fileCount(),
              plan.fileCount() == 1 ? "file" : "files",
              plan.replacedCount(),
              plan.replacedCount() == 1 ? "replaced one" : "replaced ones");
    }
  }

  /** All of its files are in place; partitions have yet to be registered by Hive. */
  record MetastoreOpen(LogEntry entry, CommitPlan plan) implements OfEntry {
    @Override
    public String message() {
      return ("ZR-1302: All files (%s) of %s (entry %s) are in place. The next INSERT into that table"
              + " registers its partitions in the metastore; with --without-metastore it is completed"
              + " now.")
          .formatted(plan.fileCount(), plan.description(), number());
    }
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

    @Override
    public String finding() {
      return "ZR-1312: %s was committed as entry %s and interrupted. It was left to an operator: %s"
          .formatted(entry.job().description(), number(), reason);
    }
  }

  /**
   * Files of it are lost.
   *
   * @param ended whether it counts as ended all the same, because it has replaced no other files
   */
  record Damaged(LogEntry entry, List<Path> lost, boolean ended) implements OfEntry {
    public Damaged {
      lost = List.copyOf(lost);
    }

    @Override
    public String message() {
      return finding()
          + (ended
              ? " All others are visible."
              : " The others are visible, and the files that it replaces were not deleted. To end it"
                  + " without the lost ones: "
                  + RecoveryAdvice.of(entry.job())
                  + " --give-up");
    }

    @Override
    public String finding() {
      return "ZR-1311: "
          + (lost.size() == 1 ? "1 file of " : lost.size() + " files of ")
          + entry.job().description()
          + " (entry "
          + number()
          + ") "
          + (lost.size() == 1
              ? "is lost: its upload or its record has vanished, or it was visible and another program has"
                  + " deleted it since. It is "
              : "are lost: their uploads or their records have vanished, or they were visible and"
                  + " another program has deleted them since. The first is ")
          + lost.get(0)
          + ".";
    }
  }

  /**
   * An operator has ended it without what was lost.
   *
   * @param lost files that will never be visible
   */
  record GivenUp(long number, String jobId, List<Path> lost) implements Recovered {
    public GivenUp {
      lost = List.copyOf(lost);
    }

    @Override
    public String message() {
      return "ZR-1304: Entry "
          + number
          + (jobId.isEmpty() ? "" : " of job " + jobId)
          + " was given up: what is visible of it stays"
          + switch (lost.size()) {
            case 0 -> ". No lost file of it is known.";
            case 1 -> ", 1 of its files is lost.";
            default -> ", " + lost.size() + " of its files are lost.";
          };
    }
  }

  /** It could not be completed now. */
  record Failed(long number, String jobId, String message, Exception cause) implements Recovered {
    /** Whether its records are not what was written, so that no process ever can. */
    public boolean isUnreadable() {
      return cause instanceof MalformedManifestException
          && !(cause instanceof OtherVersionException);
    }
  }
}
