package io.zerorename.core.recovery;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aborts uploads of jobs that have ended, or never will. A writer that was killed while its Create
 * was under way, or that goes on writing after its job has ended, can leave an upload that the
 * job's own sweep could not see; and a job whose process was killed before it decided has no sweep
 * at all. Then it deletes the records of jobs that ended long ago. Those of others stay: they say
 * what is left to do.
 *
 * <p>Every job does this for those before it, but only one per hour and user.
 *
 * @param settings for the work on one job, by its log
 */
public record OrphanSweep(
    ObjectStores stores,
    WorkDirectory work,
    FunctionRaisingIOE<Optional<Path>, CommitSettings> settings,
    Duration abandoned) {
  private static final Logger LOG = LoggerFactory.getLogger(OrphanSweep.class);

  /** No request of a writer is under way for longer. */
  static final Duration DELAY = Duration.ofHours(1);

  /** How long records stay of a job of which nothing is left to do. */
  private static final Duration KEPT = Duration.ofDays(CommitLog.KEPT_DAYS);

  /** A query or job waits. */
  private static final Duration TIME = Duration.ofSeconds(20);

  private static final DateTimeFormatter HOUR =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH").withZone(ZoneOffset.UTC);

  public OrphanSweep {
    requireNonNull(stores, "stores");
    requireNonNull(work, "work");
    requireNonNull(settings, "settings");
    requireNonNull(abandoned, "abandoned");
  }

  /**
   * @param work the user's directory
   */
  public static OrphanSweep from(ObjectStores stores, WorkDirectory work, Configuration conf) {
    return new OrphanSweep(
        stores,
        work,
        log -> settings(conf, log),
        Duration.ofHours(CoreKeys.ABANDONED_AFTER.from(conf)));
  }

  /** Those of the bucket that a job has written to, where its log says which that is. */
  private static CommitSettings settings(Configuration conf, Optional<Path> log)
      throws IOException {
    return log.isPresent()
        ? CommitSettings.from(conf, ObjectKeys.bucketOf(log.get()))
        : CommitSettings.from(conf);
  }

  /**
   * Sweeps, unless another process does in this hour.
   *
   * @param now by a store's clock: a machine that is days ahead would take running jobs for dead
   * @return the number of uploads aborted
   */
  public int run(Instant now) throws IOException {
    String turn = WorkDirectory.nameOf("sweep." + HOUR.format(now));
    if (!work.records().putIfAbsent(turn, new byte[0])) {
      return 0;
    }
    work.deleteNotes(now.minus(KEPT), turn);
    return sweep(now);
  }

  private int sweep(Instant now) throws IOException {
    int aborted = 0;
    long begun = System.nanoTime();
    List<Path> jobs = new ArrayList<>(work.jobs());
    // So that in the hours to come each has its turn, whatever the first ones take.
    Collections.shuffle(jobs);
    for (Path job : jobs) {
      if (System.nanoTime() - begun > TIME.toNanos()) {
        LOG.info("The rest of {} is swept in the next hours", job.getParent());
        break;
      }
      try {
        aborted += sweep(job, now);
      } catch (IOException | RuntimeException e) {
        // One that cannot be swept must not keep the others from it.
        LOG.warn(
            "ZR-1301: The uploads that the job of {} may have left cannot be aborted now", job, e);
      }
    }
    return aborted;
  }

  private int sweep(Path directory, Instant now) throws IOException {
    JobDirectory job = new JobDirectory(work.fileSystem(), directory);
    boolean ended = job.isFinished();
    Instant changed = job.lastChange();
    if (!ended) {
      return changed.plus(abandoned).isAfter(now) ? 0 : abort(job, now);
    }
    boolean old = changed.plus(KEPT).isBefore(now);
    try {
      if (job.hasWriters()) {
        return changed.plus(DELAY).isAfter(now) ? 0 : sweepAgain(job, now);
      }
    } catch (IOException e) {
      if (old) {
        // As of a bucket that is closed to this user by now: it would fail for ever.
        work.fileSystem().delete(directory, true);
      }
      throw e;
    }
    if (old) {
      work.fileSystem().delete(directory, true);
    }
    return 0;
  }

  /** Hour by hour until nothing is found any more. */
  private int sweepAgain(JobDirectory job, Instant now) throws IOException {
    Workers workers = settings.apply(job.log()).workers();
    return job.endLate(stores, now.minus(DELAY), workers).aborted();
  }

  private int abort(JobDirectory job, Instant now) throws IOException {
    Optional<Path> log = job.log();
    if (log.isEmpty()) {
      LOG.info("{} says nothing about its job, and is left alone", job.path());
      return 0;
    }
    JobAbort.Result result =
        new JobAbort(
                stores,
                job,
                CommitLog.inBucket(stores, log.get()),
                settings.apply(log),
                Optional.of(job.begun()))
            .run();
    if (result instanceof JobAbort.Result.Aborted gone) {
      return gone.uploads();
    }
    if (result instanceof JobAbort.Result.Committed committed && committed.plan().isEmpty()) {
      // The commit was completed, but not its clean-up.
      return sweepAgain(job, now);
    }
    // Recovery needs the uploads, and sweeps once it has completed the commit.
    return 0;
  }
}
