package io.zerorename.cli;

import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Session;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recovery.RecoverEntry;
import io.zerorename.core.recovery.Recovery;
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
    if (job.isPresent()) {
      giveUp(job.get(), recovery(path), report);
    } else {
      if (mode == Mode.GIVE_UP) {
        recovery(path).giveUp().forEach(report::add);
      } else {
        complete(path, report);
      }
      recoverAbove("", report);
    }
    report.warnOfUnseen();
    if (report.hasNoCommit() && job.isEmpty()) {
      new LogSearch(engine.stores(), engine.records(), session.conf())
          .require(path, LogSearch.COMMITS_ELSEWHERE);
    }
    return report.end();
  }

  private CommitLog logOf(Path location) {
    return new CommitLogs(engine.stores(), session.conf()).of(location);
  }

  private Recovery recovery(Path location) {
    return new Recovery(engine.stores(), logOf(location), settings, engine);
  }

  private void complete(Path location, RecoveryReport report) throws IOException {
    if (mode == Mode.DRY_RUN) {
      new RecoveryPreview(
              new RecoverEntry(engine.stores(), logOf(location), settings, engine), report)
          .run();
    } else {
      recovery(location).resumeAll().forEach(report::add);
    }
  }

  /** The ids of jobs whose entries are open, and how they begin. */
  private static List<String> open(Recovery recovery, String beginning) throws IOException {
    return recovery.open().stream().filter(id -> id.startsWith(beginning)).toList();
  }

  /**
   * A partition has the log of its table, in one of the directories above.
   *
   * @param beginning of the ids of jobs to give up
   */
  private void recoverAbove(String beginning, RecoveryReport report) throws IOException {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      try {
        if (mode == Mode.GIVE_UP) {
          // Other files depend on such a commit: the user must name its path.
          for (String id : open(recovery(above), beginning)) {
            report.elsewhere(id, above);
          }
        } else {
          complete(above, report);
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
   * @param beginning of its id
   */
  private void giveUp(String beginning, Recovery own, RecoveryReport report) throws IOException {
    List<String> meant = open(own, beginning);
    if (meant.size() > 1) {
      throw new InputException(
          "ZR-9107: Several jobs have an id that begins with %s; one%s"
              .formatted(beginning, openHere(own)));
    }
    if (!meant.isEmpty()) {
      own.giveUp(meant.get(0)).ifPresent(report::add);
      return;
    }
    recoverAbove(beginning, report);
    if (report.hasNoCommit()) {
      String problem = "ZR-9108: No commit of a job " + beginning + openHere(own);
      if (report.warnOfUnseen()) {
        throw new IOException(problem);
      }
      throw new InputException(problem);
    }
  }

  private String openHere(Recovery own) throws IOException {
    List<String> open = own.open();
    return " is open at %s; open there are %s"
        .formatted(
            path,
            open.isEmpty() ? "none. " + LogSearch.COMMITS_ELSEWHERE : String.join(", ", open));
  }
}
