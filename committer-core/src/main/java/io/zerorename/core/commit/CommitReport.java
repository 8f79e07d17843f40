package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a job commit did.
 *
 * @param open what its engine has to finish; empty where the job was complete before
 * @param files made visible, by this call or before
 * @param bytes in those files
 * @param replaced old objects deleted
 * @param aborted uploads of other attempts
 * @param decidedBefore whether the decision stood already, made by another process or call
 * @param openEntries numbers of entries that had not ended when the log was read: of commits that
 *     run elsewhere, or were interrupted
 * @param isFirstOfDay whether no other job was decided in the log on this day before
 * @param stages how long each stage took, in their order
 * @param replacedSince finds out which directories later entries replace
 */
public record CommitReport(
    Optional<OpenCommit> open,
    int files,
    long bytes,
    int replaced,
    int aborted,
    boolean decidedBefore,
    List<Long> openEntries,
    boolean isFirstOfDay,
    Map<CommitStage, Duration> stages,
    CallableRaisingIOE<Predicate<Path>> replacedSince) {
  private static final Logger LOG = LoggerFactory.getLogger(CommitReport.class);

  public CommitReport {
    openEntries = List.copyOf(openEntries);
    stages = Collections.unmodifiableMap(new TreeMap<>(stages));
  }

  static CommitReport of(
      OpenCommit open,
      int aborted,
      boolean decidedBefore,
      List<Long> openEntries,
      boolean isFirstOfDay,
      Map<CommitStage, Duration> stages) {
    CommitPlan plan = open.plan();
    return new CommitReport(
        Optional.of(open),
        plan.fileCount(),
        plan.bytes(),
        plan.replacedCount(),
        aborted,
        decidedBefore,
        openEntries,
        isFirstOfDay,
        stages,
        open::replacedLater);
  }

  static CommitReport finishedBefore(
      EndNote summary, CallableRaisingIOE<Predicate<Path>> replacedSince) {
    return new CommitReport(
        Optional.empty(),
        summary.files(),
        summary.bytes(),
        summary.replaced(),
        0,
        true,
        List.of(),
        false,
        Map.of(),
        replacedSince);
  }

  /**
   * Which of its directories later entries replace, by now. At most one request, and one for each.
   */
  public Predicate<Path> replacedLater() throws IOException {
    return replacedSince.apply();
  }

  /**
   * Deletes old entries of the log behind the first commit of a day. A failure is only logged.
   *
   * @param log of the job's destination
   */
  public void cut(CommitLog log) {
    if (!isFirstOfDay) {
      return;
    }
    try {
      LOG.info("{} entries of {} are deleted as old", log.cut(), log.location());
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-3107: Old entries of {} could not be deleted; it is tried again tomorrow",
          log.location(),
          e);
    }
  }

  /** Time of all stages. */
  public Duration duration() {
    return stages.values().stream().reduce(Duration.ZERO, Duration::plus);
  }
}
