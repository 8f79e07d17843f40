package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.parallel.Pauses;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until nobody else makes files visible in some directories, or deletes any there. A job that
 * replaces files does so first, so that no older row comes back.
 */
final class ClearDirectories {
  private static final Logger LOG = LoggerFactory.getLogger(ClearDirectories.class);

  private final AwaitJobs jobs;
  private final CommitLog log;
  private final Pauses.Sleep sleep;

  /**
   * @param sleep between two looks
   */
  ClearDirectories(AwaitJobs jobs, CommitLog log, Pauses.Sleep sleep) {
    this.jobs = requireNonNull(jobs, "jobs");
    this.log = requireNonNull(log, "log");
    this.sleep = requireNonNull(sleep, "sleep");
  }

  /** As {@link Recovery#clear} tells it. */
  List<Recovered> run(Duration patience, Set<String> ownJobIds, Collection<Path> directories)
      throws IOException {
    ReplacedDirectories replaced = new ReplacedDirectories(directories);
    Map<String, Recovered> results = new LinkedHashMap<>();
    Set<String> left = Set.of();
    // For a process, for missing files, and again.
    Instant giveUp =
        log.now().plus(patience.multipliedBy(4)).plus(PutWindow.LENGTH.multipliedBy(2));
    int idle = 0;
    // Until one listing shows that nothing is left: while something was waited for, others began.
    for (List<OpenJob> open = others(ownJobIds, replaced);
        !isClear(open, left);
        open = others(ownJobIds, replaced)) {
      if (log.now().isAfter(giveUp)) {
        throw tooLong(open);
      }
      List<Recovered> found = jobs.run(open, patience);
      idle = found.isEmpty() ? idle + 1 : 0;
      if (idle > 1) {
        // Others bring the same commits to their end, again and again.
        sleep.pause(AwaitJobs.FIRST_PAUSE, "Interrupted while another recovery was waited for");
      }
      for (Recovered result : found) {
        if (result.isPending()) {
          throw new IOException(
              "an earlier commit is open, and to replace files before it is at its end would bring"
                  + " older rows back. "
                  + result.message());
        }
        results.put(result.jobId(), result);
      }
      left =
          found.stream()
              .filter(it -> it instanceof Recovered.Damaged || it instanceof Recovered.Failed)
              .map(Recovered::jobId)
              .collect(Collectors.toSet());
      awaitLatePuts(ownJobIds, replaced, giveUp);
    }
    return List.copyOf(results.values());
  }

  private static IOException tooLong(List<OpenJob> open) {
    return new IOException(
        "other commits are open for longer than this job can wait; run it again later. Open are "
            + open.stream().map(OpenJob::id).toList());
  }

  /** As {@link Recovery#isClear} tells it. */
  boolean isClear(Set<String> ownJobIds, Collection<Path> directories) throws IOException {
    return isClear(others(ownJobIds, new ReplacedDirectories(directories)), Set.of());
  }

  private List<OpenJob> others(Set<String> ownJobIds, ReplacedDirectories replaced)
      throws IOException {
    return replaced.concerning(
        log.open().stream().filter(open -> !ownJobIds.contains(open.id())).toList(), log);
  }

  /**
   * @param left jobs that cannot be brought to their end, and make nothing visible any more
   */
  private boolean isClear(List<OpenJob> open, Set<String> left) {
    return open.stream()
        .allMatch(it -> (it.documents().isEmpty() || left.contains(it.id())) && !mayBeWritten(it));
  }

  /** Whether a small file of a job may still be written by a request that was sent before. */
  private boolean mayBeWritten(OpenJob open) {
    return open.putsUntil().filter(log::mayStillTakeEffect).isPresent();
  }

  /**
   * Waits until what was announced is over. To be told by a listing that is made after the
   * recovery: it, and others at the same time, announce what they write.
   */
  private void awaitLatePuts(Set<String> ownJobIds, ReplacedDirectories replaced, Instant giveUp)
      throws IOException {
    for (OpenJob late : others(ownJobIds, replaced).stream().filter(this::mayBeWritten).toList()) {
      Instant over = late.putsUntil().orElseThrow().plus(PutWindow.SETTLED);
      if (over.isAfter(giveUp)) {
        throw tooLong(List.of(late));
      }
      Duration rest = Duration.between(log.now(), over);
      if (!rest.isNegative()) {
        LOG.info(
            "Requests for job {} may reach the store until {}, which is waited for",
            late.id(),
            over);
        sleep.pause(
            rest.plus(AwaitJobs.FIRST_PAUSE),
            "Interrupted while requests of another commit were waited for");
      }
    }
  }
}
