package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitReport.Stage;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.store.CountedStores;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a job's output visible: all of it, or, up to the decision, nothing.
 *
 * <ol>
 *   <li>load the manifests of the chosen task attempts;
 *   <li>plan: the uploads, and the exact old objects that they replace;
 *   <li>decide: the plan becomes what will be done, whoever does it;
 *   <li>complete every upload;
 *   <li>replace: delete the old objects;
 *   <li>publish: keep directories in existence that are now empty;
 *   <li>clean up: abort the uploads of attempts that were not chosen.
 * </ol>
 *
 * A failure before the decision is a {@link CommitFailedException}; the caller then runs {@link
 * JobAbort}. A failure after it is a {@link CommitStateUnknownException}; nothing may be deleted
 * then. A commit whose decision stands already carries that one out, so it may be repeated.
 */
public final class JobCommit {
  private static final Logger LOG = LoggerFactory.getLogger(JobCommit.class);

  private final CountedStores stores;
  private final JobDirectory job;
  private final CommitSettings settings;

  /** A commit of the job to which the directory belongs. */
  public JobCommit(ObjectStores stores, JobDirectory job, CommitSettings settings) {
    this.stores = new CountedStores(stores);
    this.job = requireNonNull(job, "job");
    this.settings = requireNonNull(settings, "settings");
  }

  /**
   * Commits.
   *
   * @throws CommitFailedException nothing is visible, nothing was deleted
   * @throws CommitStateUnknownException files may be visible, nothing may be deleted
   */
  public CommitReport run(CommitRequest request)
      throws CommitFailedException, CommitStateUnknownException {
    StageTimes times = new StageTimes();
    try (Workers workers = new Workers(settings.threads())) {
      Decided decided = decide(request, workers, times);
      CommitPlan plan = decided.plan();
      int aborted =
          decided.finished()
              ? 0
              : Uninterrupted.call(
                  () -> carryOut(decided, request.refuseExisting(), workers, times));
      return report(plan, aborted, times);
    } catch (CommitFailedException | CommitStateUnknownException e) {
      throw e;
    } catch (IOException e) {
      throw new AssertionError("cleaning up throws nothing", e);
    }
  }

  /**
   * A decision to commit.
   *
   * @param byOther it stood already, so that some of it may have been carried out before
   * @param finished all of it has been
   */
  private record Decided(CommitPlan plan, boolean byOther, boolean finished) {}

  private Decided decide(CommitRequest request, Workers workers, StageTimes times)
      throws CommitFailedException, CommitStateUnknownException {
    CommitPlan plan;
    try {
      if (!request.jobId().equals(job.jobId())) {
        throw new IOException(
            "the request is for job " + request.jobId() + " and " + job.path() + " is another's");
      }
      Optional<Decision> standing = standing(request);
      if (standing.isPresent()) {
        return new Decided(planOf(request, standing.get()), true, job.isFinished());
      }
      List<TaskManifest> manifests =
          times.measure(Stage.LOAD_MANIFESTS, () -> request.manifests().load(workers));
      plan = times.measure(Stage.PLAN, () -> new MakePlan(stores).run(request, manifests, workers));
      job.create();
    } catch (CommitFailedException | CommitStateUnknownException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw failed(request.description(), e);
    }
    Decision decision;
    try {
      decision = times.measure(Stage.DECIDE, () -> job.decisions().decide(Decision.commit(plan)));
    } catch (IOException e) {
      decision = whatStands(request, e);
    }
    CommitPlan standing = planOf(request, decision);
    return new Decided(standing, !standing.equals(plan), false);
  }

  /** A decision that is there and cannot be understood may have been carried out in part. */
  private Optional<Decision> standing(CommitRequest request)
      throws IOException, CommitStateUnknownException {
    try {
      return job.decisions().read();
    } catch (MalformedManifestException e) {
      throw unknown(request, e);
    }
  }

  /** After an attempt to decide of which it is not known whether it took effect. */
  private Decision whatStands(CommitRequest request, IOException failure)
      throws CommitFailedException, CommitStateUnknownException {
    Optional<Decision> standing;
    try {
      standing = job.decisions().read();
    } catch (IOException e) {
      failure.addSuppressed(e);
      throw unknown(request, failure);
    }
    return standing.orElseThrow(() -> failed(request.description(), failure));
  }

  private CommitStateUnknownException unknown(CommitRequest request, IOException failure) {
    return new CommitStateUnknownException(
        request.description()
            + ": it is unknown whether the commit was decided: "
            + sentence(failure)
            + " Nothing was deleted. When "
            + job.decisions().location()
            + " can be read again: if it says COMMIT, complete the uploads that it lists; if it"
            + " does not exist, run the statement again.",
        failure);
  }

  private CommitPlan planOf(CommitRequest request, Decision decision) throws CommitFailedException {
    CommitPlan plan =
        decision
            .plan()
            .orElseThrow(
                () ->
                    failed(
                        request.description(),
                        new IOException("the job was aborted, see " + job.decisions().location())));
    try {
      MakePlan.check(request, plan);
    } catch (IOException e) {
      throw failed(request.description(), e);
    }
    return plan;
  }

  private static CommitFailedException failed(String description, Exception cause) {
    return new CommitFailedException(
        description
            + " was not committed: "
            + sentence(cause)
            + " Nothing of it is visible and no old file was deleted; run it again once the cause is"
            + " mended.",
        cause);
  }

  private static String sentence(Exception cause) {
    String message = cause instanceof IOException ? cause.getMessage() : cause.toString();
    String text = message == null ? cause.toString() : message.strip();
    return text.endsWith(".") ? text : text + ".";
  }

  /**
   * Everything after the decision.
   *
   * @param plainNames whether others may write objects of the same names
   * @return the number of uploads that were aborted
   */
  private int carryOut(Decided decided, boolean plainNames, Workers workers, StageTimes times)
      throws IOException {
    CommitPlan plan = decided.plan();
    CompleteUploads completion = new CompleteUploads(stores, settings, decided.byOther());
    DeleteReplaced deletion = new DeleteReplaced(stores);
    carryOut(
        plan,
        " Some of its "
            + plan.uploads().size()
            + " files may be visible and others not, and no old file was deleted. Do not simply run"
            + " it again: rows could be there twice. What is left to do is in "
            + job.decisions().location()
            + ": complete the uploads that it lists and then, only if none of them has vanished,"
            + " delete the objects that it lists as replaced.",
        () ->
            times.measure(
                Stage.COMPLETE,
                () -> {
                  if (decided.byOther() && plainNames) {
                    completion.runAfterBreak(plan.uploads(), workers);
                  } else {
                    completion.run(plan.uploads(), workers);
                  }
                }));
    carryOut(
        plan,
        " All of its "
            + plan.uploads().size()
            + " new files are visible, and so are old ones that they replace, so that both are read."
            + " Delete the objects that "
            + job.decisions().location()
            + " lists as replaced, or run the same overwrite again.",
        () ->
            times.measure(
                Stage.REPLACE,
                () -> {
                  if (plan.replaced().isEmpty() || job.isFinished()) {
                    // Another process was faster; what is there now may be somebody else's.
                    return;
                  }
                  if (decided.byOther()) {
                    deletion.runAfterBreak(plan.replaced(), workers);
                  } else {
                    deletion.run(plan.replaced(), workers);
                  }
                }));
    carryOut(
        plan,
        " All files are as they should be; only directories that are now empty may be missing. Make"
            + " those that "
            + job.decisions().location()
            + " lists as markers.",
        () ->
            times.measure(
                Stage.PUBLISH, () -> new KeepDirectories(stores).run(plan.markers(), workers)));
    return times.measure(Stage.CLEAN_UP, () -> cleanUp(plan, workers));
  }

  /** One stage after the decision, with what a person must know where it fails. */
  private static void carryOut(CommitPlan plan, String whatNow, StageTimes.Step stage)
      throws CommitStateUnknownException {
    try {
      stage.run();
    } catch (IOException | RuntimeException e) {
      throw new CommitStateUnknownException(
          plan.description()
              + " is committed, but could not be brought to its end: "
              + sentence(e)
              + whatNow,
          e);
    }
  }

  /** The job is committed whatever happens here, so a failure is told and goes no further. */
  private int cleanUp(CommitPlan plan, Workers workers) {
    try {
      Set<String> committed =
          plan.uploads().stream().map(PendingUpload::uploadId).collect(Collectors.toSet());
      SweepUploads.Result sweep = SweepUploads.ofJob(stores, job, committed).run(workers);
      job.finish(sweep);
      return sweep.aborted();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "{} is committed. Uploads of attempts that were not chosen could not all be aborted and go"
              + " on costing storage; their ids are in {}/journal.",
          plan.description(),
          job.path(),
          e);
      return 0;
    }
  }

  private CommitReport report(CommitPlan plan, int aborted, StageTimes times) {
    return new CommitReport(
        plan.uploads().stream().map(PendingUpload::destination).toList(),
        plan.uploads().stream().mapToLong(PendingUpload::length).sum(),
        plan.replaced().size(),
        aborted,
        times.all(),
        stores.counts().toMap());
  }
}
