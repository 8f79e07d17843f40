package io.zerorename.cli;

import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Units;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.recovery.RecoverEntry;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Completes or gives up the interrupted commits in the logs of a path and of the directories above
 * it.
 *
 * @param settings for commits to the path's bucket
 * @param mode what to do with open commits
 * @param job the only one to give up: its id, or how that begins
 */
record RecoveryRun(
    Path path,
    OperatorsEngine engine,
    CommitSettings settings,
    Mode mode,
    Optional<String> job,
    Session session) {
  /** What to do with open commits. */
  enum Mode {
    COMPLETE,
    /** Also gives up what cannot be completed. */
    GIVE_UP,
    /** Only reports what {@link #COMPLETE} would do. */
    DRY_RUN
  }

  ExitCode run() throws IOException {
    RecoveryReport report = new RecoveryReport(path, mode == Mode.GIVE_UP, session.output());
    if (job.isEmpty()) {
      recover(path, report);
      recoverAbove(report);
      if (report.hasNoCommit()) {
        new LogSearch(engine.stores(), session.conf()).require(path, LogSearch.COMMITS_ELSEWHERE);
      }
    } else {
      giveUp(job.get(), recovery(path), report);
    }
    return report.end();
  }

  private Recovery recovery(Path location) {
    return new Recovery(engine.stores(), logOf(location), settings, engine);
  }

  private CommitLog logOf(Path location) {
    return new CommitLogs(engine.stores(), session.conf()).of(location);
  }

  private void recover(Path location, RecoveryReport report) throws IOException {
    switch (mode) {
      case COMPLETE -> recovery(location).resumeAll().forEach(report::add);
      case GIVE_UP -> recovery(location).giveUp().forEach(report::add);
      case DRY_RUN ->
          preview(new RecoverEntry(engine.stores(), logOf(location), settings, engine), report);
    }
  }

  /**
   * Reports what a recovery would do with each entry of a log that has not ended. One listing, one
   * request for each such entry, and one for each chunk of its plan.
   */
  private static void preview(RecoverEntry recover, RecoveryReport report) throws IOException {
    LogTail tail = recover.log().tail();
    for (long number : tail.open()) {
      try {
        Optional<LogEntry> entry = recover.log().read(number, tail);
        if (entry.filter(it -> it.kind().commits()).isPresent()) {
          preview(entry.get(), tail, recover, report);
        }
      } catch (MalformedManifestException e) {
        report.open(
            Optional.of(number),
            "",
            "would-unreadable",
            "Entry %s: could not be completed: %s".formatted(number, ErrorText.of(e)));
      }
    }
  }

  private static void preview(
      LogEntry entry, LogTail tail, RecoverEntry recover, RecoveryReport report)
      throws IOException {
    CommitPlan plan = recover.log().plan(entry);
    Optional<String> refusal = recover.refusal(plan, false);
    String result = "would-complete";
    String text =
        ("would be completed: as far as they are not visible yet, %s completed; then, as far as"
                + " they are unchanged, %s deleted.")
            .formatted(
                Units.count(plan.fileCount(), "upload"),
                Units.count(plan.replacedCount(), "old object"));
    if (refusal.isPresent()) {
      result = "would-refuse";
      text = "would be refused: " + refusal.get();
    } else if (tail.state(entry.number()) == EntryState.METASTORE_OPEN
        && !recover.engine().hasMetastore()) {
      result = "would-leave-to-hive";
      text =
          "would be left to Hive: its files are in place, and the next INSERT registers its"
              + " partitions; --without-metastore ends it.";
    }
    String id = entry.job().id();
    String description = entry.job().description();
    // Descriptions of Spark's jobs have the id.
    String job = description.contains(id) ? description : "job " + id + ", " + description;
    report.open(
        Optional.of(entry.number()),
        id,
        result,
        "Entry %s, %s: %s".formatted(entry.number(), job, text));
  }

  /** A partition has the log of its table, in one of the directories above. */
  private void recoverAbove(RecoveryReport report) throws IOException {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      try {
        if (mode == Mode.GIVE_UP) {
          nameOpen(above, report);
        } else {
          recover(above, report);
        }
      } catch (StoreException e) {
        // A user who may read a table need not have access to the directories above it.
        if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
          throw e;
        }
        report.unseen(
            "the commit log of %s, where a table may be: %s".formatted(above, e.getMessage()));
      }
    }
  }

  /** Other files depend on such a commit: the user must name its path. */
  private void nameOpen(Path above, RecoveryReport report) throws IOException {
    for (String id : open(recovery(above), job.orElse(""))) {
      report.open(
          Optional.empty(),
          id,
          "elsewhere",
          ("The commit of job %s is open at %s; to end it as it is, name that path: zerorename"
                  + " recover --give-up --job %s %s")
              .formatted(id, above, id, above));
    }
  }

  /** The ids of jobs whose entries are open, and how they begin. */
  private static List<String> open(Recovery recovery, String beginning) throws IOException {
    return recovery.open().stream().filter(id -> id.startsWith(beginning)).toList();
  }

  /**
   * Gives up the commit of one job.
   *
   * @param beginning of its id
   */
  private void giveUp(String beginning, Recovery own, RecoveryReport report) throws IOException {
    List<String> meant = open(own, beginning);
    if (meant.size() == 1) {
      own.giveUp(meant.get(0)).ifPresent(report::add);
      return;
    }
    if (meant.isEmpty()) {
      recoverAbove(report);
      if (!report.hasNoCommit()) {
        return;
      }
    }
    List<String> open = own.open();
    String problem =
        "ZR-9108: %s has an id that begins with %s and is open at %s; open there are %s"
            .formatted(
                meant.isEmpty() ? "No job" : "More than one job",
                beginning,
                path,
                open.isEmpty() ? "none. " + LogSearch.COMMITS_ELSEWHERE : String.join(", ", open));
    if (report.hasUnseen()) {
      throw new IOException(problem);
    }
    throw new InputException(problem);
  }
}
