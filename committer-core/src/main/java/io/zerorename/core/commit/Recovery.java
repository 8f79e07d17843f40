package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Brings the commits to their end that other processes have left open at one destination: those
 * that were decided are carried out, those that were not are undone. It works from the
 * destination's {@link CommitLog} and the store alone, may be repeated, and may run beside another
 * recovery or beside the process that it takes for dead.
 */
public final class Recovery {
  private final CommitLog log;
  private final RecoverJob recoverJob;
  private final GiveUpJob giveUpJob;
  private final ClearDirectories clearDirectories;

  /**
   * A recovery at one destination.
   *
   * @param log of that destination
   */
  public Recovery(
      ObjectStores stores, CommitLog log, CommitSettings settings, RecoveryEngine engine) {
    this(stores, log, settings, engine, Pauses::pause);
  }

  /**
   * @param sleep between two looks
   */
  Recovery(
      ObjectStores stores,
      CommitLog log,
      CommitSettings settings,
      RecoveryEngine engine,
      Pauses.Sleep sleep) {
    ObjectStores paced = new PacedStores(stores, settings);
    this.log = requireNonNull(log, "log");
    this.recoverJob = new RecoverJob(paced, log, settings, engine);
    this.giveUpJob = new GiveUpJob(paced, log, settings, engine);
    this.clearDirectories = new ClearDirectories(new AwaitJobs(recoverJob, log, sleep), log, sleep);
  }

  /** The ids of jobs whose commits are open, in the order in which they began to; one listing. */
  public List<String> open() throws IOException {
    return log.open().stream()
        .filter(open -> !open.documents().isEmpty())
        .map(OpenJob::id)
        .toList();
  }

  /**
   * Recovers every job that no process can be at work on. One listing where there is none.
   *
   * @param patience how long a commit whose process may be alive is left alone
   * @return what was found, job by job, in the order of their commits
   */
  public List<Recovered> run(Duration patience) throws IOException {
    return recoverJob.runAll(log.open(), patience, false);
  }

  /**
   * Like {@link #run}, for a job that does not depend on it: what the same user has tried here for
   * seconds and in vain, less than a minute ago, is not tried again, but told again.
   */
  public List<Recovered> runUnlessVain(Duration patience) throws IOException {
    return runUnlessVain(patience, VainRecoveries.ofProcess());
  }

  List<Recovered> runUnlessVain(Duration patience, VainRecoveries vain) throws IOException {
    List<Recovered> results = new ArrayList<>();
    // What one user cannot reach another may.
    String user = UserGroupInformation.getCurrentUser().getUserName();
    for (OpenJob open : log.open()) {
      vain.recover(user + "/" + open.id(), () -> recoverJob.run(open, patience, false))
          .ifPresent(results::add);
    }
    return results;
  }

  /** Like {@link #run}, and tries again what was found to be damaged before. */
  public List<Recovered> retry(Duration patience) throws IOException {
    return recoverJob.runAll(log.open(), patience, true);
  }

  /**
   * Makes sure that nobody makes files of an earlier job visible in some directories from now on,
   * or deletes any there. Commits that change other directories only are left alone.
   *
   * @param ownJobIds the job that wants to replace files, and others of the same statement, which
   *     write to other directories and are at their end only when the statement is; what an earlier
   *     attempt of them has proposed is not decided, and does not count
   * @param directories whose files it wants to replace, with all that is below them
   * @return what was found
   * @throws IOException where such a commit is open that cannot be ended now
   */
  public List<Recovered> clear(
      Duration patience, Set<String> ownJobIds, Collection<Path> directories) throws IOException {
    return clearDirectories.run(patience, ownJobIds, directories);
  }

  /**
   * Looks once whether {@link #clear} would find nothing to do, and does nothing itself.
   *
   * @param ownJobIds as there
   * @param directories as there
   */
  public boolean isClear(Set<String> ownJobIds, Collection<Path> directories) throws IOException {
    return clearDirectories.isClear(ownJobIds, directories);
  }

  /**
   * Like {@link #retry}, and ends commits of which files are lost or whose records were changed:
   * what is visible stays, and no job meets them again.
   */
  public List<Recovered> giveUp(Duration patience) throws IOException {
    List<Recovered> results = new ArrayList<>();
    for (OpenJob open : log.open()) {
      Optional<Recovered> result = recoverJob.run(open, patience, true);
      if (result.isPresent()) {
        results.add(result.get());
        boolean lost =
            result.get() instanceof Recovered.Damaged
                || (result.get() instanceof Recovered.Failed failed && failed.isUnreadable());
        if (lost) {
          results.add(giveUpJob.run(open));
        }
      }
    }
    return results;
  }

  /**
   * Ends the commit of one job as it is, whether or not it could be completed.
   *
   * @return what became of it; empty where it is not open
   */
  public Optional<Recovered> giveUp(String jobId, Duration patience) throws IOException {
    Optional<OpenJob> open = log.openOf(jobId);
    return open.isPresent()
        ? Optional.of(giveUpJob.unlessAtWork(open.get(), patience))
        : Optional.empty();
  }
}
