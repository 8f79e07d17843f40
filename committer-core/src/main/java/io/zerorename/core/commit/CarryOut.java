package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitReport.Stage;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * Carries out a plan that was decided: completes its uploads, deletes what they replace, keeps
 * emptied directories in existence. Every step may be repeated, by any process.
 */
final class CarryOut {
  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;

  CarryOut(ObjectStores stores, CommitLog log, CommitSettings settings) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
  }

  /**
   * Carries a plan out.
   *
   * @param again whether somebody may have begun to do so before
   * @param settled whether the store has come to an end with what that somebody has sent
   * @param window in which small files may be written
   * @param fresh whether what is there is surely what was planned with: nobody else can have come
   *     to an end with this plan yet
   * @return false where another process has brought the job to its end: what it made visible may
   *     since have been replaced
   * @throws CommitDamagedException where uploads have vanished
   * @throws CommitStateUnknownException where something else prevents it
   */
  boolean run(
      CommitPlan plan,
      boolean again,
      boolean settled,
      Freshness fresh,
      PutWindow window,
      Workers workers,
      StageTimes times)
      throws CommitStateUnknownException, CommitDamagedException {
    try {
      return carryOut(plan, again, settled, fresh, window, workers, times);
    } catch (CommitStateUnknownException e) {
      if (e.getCause() instanceof EndedElsewhereException) {
        return false;
      }
      throw e;
    }
  }

  private boolean carryOut(
      CommitPlan plan,
      boolean again,
      boolean settled,
      Freshness fresh,
      PutWindow window,
      Workers workers,
      StageTimes times)
      throws CommitStateUnknownException, CommitDamagedException {
    CompleteUploads completion = new CompleteUploads(stores, settings, again, settled);
    List<Path> lost =
        step(
            plan,
            () ->
                times.measure(
                    Stage.COMPLETE,
                    () -> {
                      PlaceSet visible =
                          plan.job().plainNames() && (again || !fresh.holds())
                              ? new VisibleFiles(stores).of(plan, workers)
                              : new PlaceSet();
                      new WriteInlined(stores, settings, window).run(plan, visible, workers);
                      return completion.run(plan.uploads(), visible, workers);
                    }),
            " Some of its "
                + plan.fileCount()
                + " files may be visible and others not, and no old file was deleted.");
    if (!lost.isEmpty()) {
      if (step(plan, () -> isComplete(plan), "")) {
        return false;
      }
      throw damaged(plan, lost);
    }
    DeleteReplaced deletion = new DeleteReplaced(stores);
    step(
        plan,
        () ->
            times.measure(
                Stage.REPLACE,
                () -> {
                  for (List<OldObject> replaced : plan.replacedByPart()) {
                    deletion.run(replaced, fresh, workers);
                  }
                  return null;
                }),
        " All of its "
            + plan.fileCount()
            + " new files are visible, and so are old ones that they replace, so that both are"
            + " read.");
    step(
        plan,
        () ->
            times.measure(
                Stage.PUBLISH,
                () -> {
                  KeepDirectories directories = new KeepDirectories(stores);
                  for (List<Path> markers : plan.markersByPart()) {
                    directories.run(markers, workers);
                  }
                  return null;
                }),
        " All files are as they should be; only directories that are now empty may be missing.");
    return true;
  }

  /** Tells whether what was planned a moment ago can be relied on. */
  @FunctionalInterface
  interface Freshness {
    boolean holds();
  }

  private boolean isComplete(CommitPlan plan) throws IOException {
    return log.finished(plan.job().id()).filter(end -> !end.givenUp()).isPresent();
  }

  private CommitDamagedException damaged(CommitPlan plan, List<Path> lost) {
    CommitDamagedException damaged =
        new CommitDamagedException(plan, lost, RecoverCommand.of(plan.job()));
    try {
      log.noteDamage(plan.job().id(), new Damage(lost));
    } catch (IOException e) {
      damaged.addSuppressed(e);
    }
    return damaged;
  }

  /** A step, with what a person must know where it fails. */
  private <T> T step(CommitPlan plan, StageTimes.Work<T> work, String state)
      throws CommitStateUnknownException {
    try {
      return work.run();
    } catch (IOException | RuntimeException e) {
      throw new CommitStateUnknownException(
          plan.description()
              + " is committed, but could not be brought to its end: "
              + Sentence.of(e)
              + state
              + " Do not simply run it again: rows could be there twice. The next job that writes"
              + " there brings it to its end, or: "
              + RecoverCommand.of(plan.job())
              + " (see "
              + log.location(plan.job().id())
              + ").",
          e);
    }
  }
}
