package io.zerorename.core.commit;

import static java.util.stream.Collectors.joining;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.RunId;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.StringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a job commit did.
 *
 * @param open what its engine has to finish; empty where the job was complete before
 * @param log in which it was decided
 * @param entry that decides it
 * @param made the files that it has made visible, by this call or before, and what they replace
 * @param aborted uploads of other attempts
 * @param decidedBefore whether the decision stood already, made by another process or call
 * @param repeats when another job was decided that has committed the run of this one; empty where
 *     the entry decides the job itself
 * @param openEntries numbers of entries that had not ended when the log was read: of commits that
 *     run elsewhere, or were interrupted
 * @param isFirstOfDay whether no other job was decided in the log on this day before
 * @param stages how long each stage took, in their order
 */
public record CommitReport(
    Optional<OpenCommit> open,
    CommitLog log,
    LogEntry entry,
    EndNote made,
    int aborted,
    boolean decidedBefore,
    Optional<Instant> repeats,
    List<Long> openEntries,
    boolean isFirstOfDay,
    Map<CommitStage, Duration> stages) {
  private static final Logger LOG = LoggerFactory.getLogger(CommitReport.class);
  private static final double MEGABYTE = 1e6;

  public CommitReport {
    openEntries = List.copyOf(openEntries);
    stages = Collections.unmodifiableMap(new TreeMap<>(stages));
  }

  /**
   * Which of its directories later entries replace, by now. At most one request, and one for each.
   */
  public Predicate<Path> replacedLater() throws IOException {
    return open.isPresent()
        ? open.get().replacedLater()
        : LaterEntries.than(entry, log)::isReplaced;
  }

  /**
   * Deletes old entries of the log behind the first commit of a day. A failure is only logged.
   *
   * @param its the same log, by stores that are open
   * @param days how long entries stay
   */
  public void cut(CommitLog its, int days) {
    if (!isFirstOfDay) {
      return;
    }
    try {
      LOG.info("{} entries of {} are deleted as old", its.cut(days), its.location());
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-3107: Old entries of {} could not be deleted; it is tried again tomorrow",
          its.location(),
          e);
    }
  }

  /** Time of all stages. */
  public Duration duration() {
    return stages.values().stream().reduce(Duration.ZERO, Duration::plus);
  }

  /**
   * What a log or a console says of it, in one line that is the same for every engine:
   *
   * <pre>
   * committed INSERT INTO default.t: 100 files, 123456 bytes, 0 old files replaced, 0 uploads
   * aborted, 107 S3 requests (put 104, get 1, list 1, bulk delete 1), 0.712 s (load
   * manifests 0.010, …), 140.4 files/s, 0.2 MB/s, job 1234…, entry 7
   * </pre>
   *
   * @param description the job in a person's words
   * @param requests to S3 that the commit has taken so far
   */
  public String line(String description, Map<RequestType, Long> requests) {
    if (repeats.isPresent()) {
      return ("ZR-1136: %s has written nothing: its run \"%s\" was committed before, by job %s at %s"
              + " as entry %s, which is complete. The log keeps it for %s days at least (%s). %s"
              + " uploads aborted")
          .formatted(
              description,
              entry.job().run().map(RunId::id).orElse(""),
              entry.job().id(),
              repeats.get(),
              entry.number(),
              CoreKeys.FEWEST_LOG_DAYS,
              CoreKeys.LOG_DAYS.name(),
              aborted);
    }
    String line =
        "committed %s: %d files, %d bytes, %d old files replaced, %d uploads aborted, %d S3 requests"
            .formatted(
                // "The output of a job" begins small here, a statement's keyword does not.
                description.startsWith("The ") ? "t" + description.substring(1) : description,
                made.files(),
                made.bytes(),
                made.replaced(),
                aborted,
                requests.values().stream().mapToLong(it -> it).sum());
    if (!requests.isEmpty()) {
      line +=
          new TreeMap<>(requests)
              .entrySet().stream()
                  .map(it -> words(it.getKey()) + " " + it.getValue())
                  .collect(joining(", ", " (", ")"));
    }
    double seconds = seconds(duration());
    // A job that had ended before has no stages.
    if (!stages.isEmpty()) {
      line +=
          stages.entrySet().stream()
              .map(it -> StringUtils.format("%s %.3f", words(it.getKey()), seconds(it.getValue())))
              .collect(joining(", ", StringUtils.format(", %.3f s (", seconds), ")"));
    }
    if (seconds > 0) {
      double megabytes = made.bytes() / MEGABYTE;
      line +=
          StringUtils.format(
              ", %.1f files/s, %.1f MB/s", made.files() / seconds, megabytes / seconds);
    }
    if (open.isPresent()) {
      line += ", job " + open.get().plan().job().id() + ", entry " + entry.number();
    }
    return decidedBefore ? line + ", decided by an earlier attempt" : line;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static String words(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
