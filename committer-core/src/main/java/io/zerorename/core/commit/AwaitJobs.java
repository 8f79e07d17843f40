package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.Recovered.Missing;
import io.zerorename.core.commit.Recovered.UnderWay;
import io.zerorename.core.parallel.Pauses;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Recovers open jobs, and waits for those that other processes may be at work on. */
final class AwaitJobs {
  private static final Logger LOG = LoggerFactory.getLogger(AwaitJobs.class);
  static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LAST_PAUSE = Duration.ofSeconds(5);

  /** Others may be missing when those are lost that were found first. */
  private static final int TIMES_MISSING = 2;

  private final RecoverJob recovery;
  private final CommitLog log;
  private final Pauses.Sleep sleep;

  /**
   * @param sleep between two looks
   */
  AwaitJobs(RecoverJob recovery, CommitLog log, Pauses.Sleep sleep) {
    this.recovery = requireNonNull(recovery, "recovery");
    this.log = requireNonNull(log, "log");
    this.sleep = requireNonNull(sleep, "sleep");
  }

  /**
   * Waits until all are at their end, or the patience is; where files are missing, until it is
   * known whether they are lost, and as long again for whoever has begun to look meanwhile.
   *
   * @return what was found at last, job by job
   */
  List<Recovered> run(List<OpenJob> jobs, Duration patience) throws IOException {
    Waiting waiting = new Waiting(patience);
    waiting.look(jobs);
    Duration pause = FIRST_PAUSE;
    while (waiting.goesOn()) {
      sleep.pause(pause, "Interrupted while another commit was waited for");
      pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) < 0 ? pause.multipliedBy(2) : LAST_PAUSE;
      waiting.lookAgain();
    }
    return List.copyOf(waiting.results.values());
  }

  private final class Waiting {
    final Map<String, Recovered> results = new LinkedHashMap<>();
    private final Duration patience;
    private final Map<String, Integer> timesMissing = new HashMap<>();

    /** Until when a process is waited for. */
    private Instant until;

    Waiting(Duration patience) throws IOException {
      this.patience = patience;
      this.until = log.now().plus(patience);
    }

    /** Whether all that is not at its end will be, or known to be lost, in a while. */
    boolean goesOn() throws IOException {
      List<Recovered> pending = results.values().stream().filter(Recovered::isPending).toList();
      boolean processesToo = log.now().isBefore(until);
      return !pending.isEmpty()
          && pending.stream()
              .allMatch(
                  it ->
                      it instanceof UnderWay
                          ? processesToo
                          : it instanceof Missing && timesMissing.get(it.jobId()) <= TIMES_MISSING);
    }

    void lookAgain() throws IOException {
      Map<String, OpenJob> open = new LinkedHashMap<>();
      log.open().forEach(job -> open.put(job.id(), job));
      // Whoever was at work may have brought them to their end.
      results.values().removeIf(it -> isWaitedFor(it) && !open.containsKey(it.jobId()));
      Instant now = log.now();
      List<Recovered> due =
          results.values().stream()
              .filter(
                  it ->
                      it instanceof UnderWay
                          || (it instanceof Missing missing && !now.isBefore(missing.lostFrom())))
              .toList();
      due.forEach(it -> results.remove(it.jobId()));
      look(due.stream().map(it -> open.get(it.jobId())).toList());
    }

    void look(List<OpenJob> jobs) throws IOException {
      for (Recovered result : recovery.runAll(jobs, patience, false)) {
        results.put(result.jobId(), result);
        if (result instanceof Missing missing) {
          timesMissing.merge(missing.jobId(), 1, Integer::sum);
          Instant again = missing.lostFrom().plus(patience);
          until = again.isAfter(until) ? again : until;
          LOG.info(
              "{} files of job {} are missing and may yet appear, which is waited for until {}",
              missing.missing().size(),
              missing.jobId(),
              missing.lostFrom());
        }
      }
    }

    private static boolean isWaitedFor(Recovered result) {
      return result instanceof UnderWay || result instanceof Missing;
    }
  }
}
