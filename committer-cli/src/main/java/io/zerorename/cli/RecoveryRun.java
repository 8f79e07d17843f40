package io.zerorename.cli;

import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Session;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;

/**
 * Completes or gives up the interrupted commits in the logs of a path and of the directories above
 * it.
 *
 * @param settings for commits to the path's bucket
 * @param mode what to do with open commits
 * @param job the only one to give up: its id, how that begins, or the number of its entry
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

  /** Shorter than the first group of an id, which may have only digits too. */
  private static final Pattern ENTRY_NUMBER = Pattern.compile("[1-9]\\d{0,6}");

  /** One commit log. */
  private record Log(CommitLog log, Recovery recovery) {
    /**
     * The ids of jobs whose entries are open.
     *
     * @param text how they begin, or the number of an entry; empty for all
     */
    List<String> open(String text) throws IOException {
      if (!ENTRY_NUMBER.matcher(text).matches()) {
        return recovery.open().stream().filter(id -> id.startsWith(text)).toList();
      }
      Optional<String> numbered = jobOf(Long.parseLong(text));
      return recovery.open().stream()
          .filter(id -> numbered.filter(id::equals).isPresent())
          .toList();
    }

    private Optional<String> jobOf(long number) throws IOException {
      try {
        return log.read(number).map(entry -> entry.job().id());
      } catch (MalformedManifestException e) {
        throw new InputException(
            ("ZR-9106: Entry %s cannot be read, so its job is not known; --give-up without --job ends it:"
                    + " %s")
                .formatted(number, e.getMessage()));
      }
    }

    /** The entry that decides a job, if it still exists. */
    Optional<Long> number(String id) throws IOException {
      return log.find(id, log.tail()).map(LogEntry::number);
    }
  }

  ExitCode run() throws IOException {
    RecoveryReport report = new RecoveryReport(path, isGivingUp(), session.output());
    Log own = logOf(path);
    if (job.isPresent()) {
      giveUp(job.get(), own, report);
    } else {
      if (isGivingUp()) {
        report.add(own.recovery().giveUp());
      } else {
        complete(own, report);
      }
      recoverAbove("", report);
    }
    report.warnOfUnseen();
    if (report.hasNoCommit()) {
      new LogSearch(engine.stores(), engine.records(), session.conf())
          .require(path, LogSearch.COMMITS_ELSEWHERE, session.output());
    }
    return report.end();
  }

  private boolean isGivingUp() {
    return mode == Mode.GIVE_UP;
  }

  private void complete(Log log, RecoveryReport report) throws IOException {
    if (mode == Mode.DRY_RUN) {
      log.recovery().preview().forEach(report::plan);
    } else {
      report.add(log.recovery().resumeAll());
    }
  }

  private Log logOf(Path location) {
    CommitLog log = new CommitLogs(engine.stores(), session.conf()).of(location);
    return new Log(log, new Recovery(engine.stores(), log, settings, engine));
  }

  /**
   * A partition has the log of its table, in one of the directories above.
   *
   * @param text names the jobs to give up, see {@link Log#open}
   */
  private void recoverAbove(String text, RecoveryReport report) throws IOException {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      Log log = logOf(above);
      try {
        if (isGivingUp()) {
          // Other files depend on such a commit: the user must name its path.
          for (String id : log.open(text)) {
            report.elsewhere(id, log.number(id), above);
          }
        } else {
          complete(log, report);
        }
      } catch (StoreException e) {
        // A user who may read a table need not have access to the directories above it.
        if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
          throw e;
        }
        report.unseenAbove(
            "the commit log of %s, where a table may be: %s".formatted(above, e.getMessage()));
      }
    }
  }

  /**
   * Gives up the commit of one job.
   *
   * @param text see {@link Log#open}
   */
  private void giveUp(String text, Log own, RecoveryReport report) throws IOException {
    Collection<String> meant = own.open(text);
    if (meant.size() > 1) {
      throw new InputException(
          "ZR-9107: Several jobs have an id that begins with %s, or an entry of that number; one%s"
              .formatted(text, openHere(own)));
    }
    for (String id : meant) {
      report.add(own.recovery().giveUp(id).stream().toList());
    }
    if (meant.isEmpty()) {
      recoverAbove(text, report);
      if (report.hasNothing()) {
        throw new InputException("ZR-9108: No commit of a job " + text + openHere(own));
      }
      report.needsAllLogs();
    }
  }

  private String openHere(Log own) throws IOException {
    Collection<String> open = own.open("");
    return " is open at %s; open there are %s"
        .formatted(
            path,
            open.isEmpty() ? "none. " + LogSearch.COMMITS_ELSEWHERE : String.join(", ", open));
  }
}
