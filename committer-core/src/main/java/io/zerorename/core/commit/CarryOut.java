package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitReport.Stage;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.Path;

/**
 * Carries out a plan that was decided: completes its uploads, deletes what they replace, keeps
 * emptied directories in existence. Every step may be repeated, by any process.
 */
final class CarryOut {
  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;
  private final PutWindow window;
  private final EtagNotes etags;
  private final LongAdder made = new LongAdder();

  /**
   * @param window in which small files may be written
   */
  CarryOut(ObjectStores stores, CommitLog log, CommitSettings settings, PutWindow window) {
    this(stores, log, settings, window, EtagNotes.none());
  }

  /**
   * @param etags is told of each object that is completed
   */
  CarryOut(
      ObjectStores stores,
      CommitLog log,
      CommitSettings settings,
      PutWindow window,
      EtagNotes etags) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.window = requireNonNull(window, "window");
    this.etags = requireNonNull(etags, "etags");
  }

  /** How many files of the plan are visible by now. */
  long visibleFiles() {
    return made.sum();
  }

  /**
   * Carries a plan out.
   *
   * @param fresh whether what is there is surely what was planned with: nobody else can have come
   *     to an end with this plan yet
   * @return false where another process has brought the job to its end: what it made visible may
   *     since have been replaced
   * @throws CommitDamagedException where files are lost
   * @throws CommitStateUnknownException where something else prevents it
   */
  boolean run(CommitPlan plan, Freshness fresh, Workers workers, StageTimes times)
      throws CommitStateUnknownException, CommitDamagedException {
    try {
      carryOut(plan, fresh, workers, times);
      return true;
    } catch (CommitStateUnknownException | CommitDamagedException e) {
      // Whoever ends a commit deletes its plan, and others may go on to replace its files.
      if (log.isEndedElsewhere(plan.job().id(), e)) {
        return false;
      }
      throw e;
    }
  }

  private void carryOut(CommitPlan plan, Freshness fresh, Workers workers, StageTimes times)
      throws CommitStateUnknownException, CommitDamagedException {
    List<Path> lost =
        step(
            plan,
            () -> times.measure(Stage.COMPLETE, () -> makeVisible(plan, fresh, workers)),
            " Some of its "
                + plan.fileCount()
                + " files may be visible and others not, and no old file was deleted.");
    if (!lost.isEmpty()) {
      throw damaged(plan, lost);
    }
    DeleteReplaced deletion = new DeleteReplaced(stores);
    step(
        plan,
        () ->
            times.measure(
                Stage.REPLACE,
                () -> {
                  deletion.run(plan.replacedByPart(), fresh, workers);
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
  }

  /**
   * Small files first, while the window of the decision is open.
   *
   * @return the files that are lost
   * @throws IOException also where files are missing that may appear yet
   */
  private List<Path> makeVisible(CommitPlan plan, Freshness fresh, Workers workers)
      throws IOException {
    boolean again = window.isTakeover();
    PlaceSet visible =
        plan.job().plainNames() && (again || !fresh.holds())
            ? new VisibleFiles(stores).of(plan, workers)
            : new PlaceSet();
    List<Path> lost =
        new ArrayList<>(
            new WriteInlined(stores, settings, window, made).run(plan, visible, workers));
    long begun = System.nanoTime();
    CompleteUploads.Missing missing =
        new CompleteUploads(stores, settings, made, etags)
            .run(plan.uploads(), plan.fileCount() - plan.inlinedCount(), visible, workers);
    lost.addAll(missing.paths());
    Optional<Damage> known = lost.isEmpty() ? Optional.empty() : log.damage(plan.job().id());
    if (known.isPresent()) {
      // All others were visible then, and are missing where a later job has replaced them.
      lost.retainAll(new HashSet<>(known.get().lost()));
      return lost;
    }
    if (!missing.paths().isEmpty() && (missing.uncertain() || again || !fresh.holds())) {
      new MissingFiles(log, settings.settling())
          .requireLost(plan.job(), missing.paths(), Duration.ofNanos(System.nanoTime() - begun));
    }
    return lost;
  }

  /** Tells whether what was planned a moment ago can be relied on. */
  @FunctionalInterface
  interface Freshness {
    boolean holds();
  }

  /**
   * As long as nobody can read that files are lost, others must take the commit for one that is
   * still carried out: its small files may be written again.
   *
   * @throws CommitStateUnknownException where it could not be noted
   */
  private CommitDamagedException damaged(CommitPlan plan, List<Path> lost)
      throws CommitStateUnknownException {
    step(
        plan,
        () -> {
          log.noteDamage(plan.job().id(), new Damage(lost));
          return null;
        },
        " Files of it are lost, the first is " + lost.get(0) + ". No old file was deleted.");
    return new CommitDamagedException(plan, lost, RecoverCommand.of(plan.job()));
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
