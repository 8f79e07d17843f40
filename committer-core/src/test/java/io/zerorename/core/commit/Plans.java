package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** Plans that tests make by hand, or want to see whole. */
final class Plans {
  private Plans() {}

  static PlanPart part(
      OutputJob job, List<PendingUpload> uploads, List<OldObject> replaced, List<Path> markers) {
    return new PlanPart(job, uploads, List.of(), replaced, markers);
  }

  /** All documents of a plan as one. */
  static PlanPart whole(CommitPlan plan) {
    List<PendingUpload> uploads = new ArrayList<>();
    List<InlineFile> inlined = new ArrayList<>();
    List<OldObject> replaced = new ArrayList<>();
    List<Path> markers = new ArrayList<>();
    plan.uploads().forEach(uploads::add);
    plan.inlined().forEach(inlined::add);
    plan.replacedByPart().forEach(replaced::addAll);
    plan.markersByPart().forEach(markers::addAll);
    return new PlanPart(plan.job(), uploads, inlined, replaced, markers);
  }

  /** A plan of one document. */
  static CommitPlan of(PlanPart part) {
    PlanTotals totals = new PlanTotals();
    totals.add(0, part);
    return new CommitPlan(part.job(), CommitPlan.Parts.of(List.of(part)), totals);
  }

  /** What was proposed and never decided. */
  static List<PlanPart> undecided(CommitLog log, String jobId) throws IOException {
    List<PlanPart> parts = new ArrayList<>();
    log.forEachUndecided(log.openOf(jobId).orElseThrow(), parts::add);
    return parts;
  }

  /** For plans that are not proposed. */
  static PlanWriter.Document unwritten(String proposal, int number, boolean last, PlanPart part) {
    return new PlanWriter.Document(new Proposal.Part(proposal + number, ""), part);
  }

  static Proposal propose(CommitLog log, PlanPart plan) throws IOException {
    return propose(log, plan, ProcessIdentity.current());
  }

  static Proposal propose(CommitLog log, PlanPart plan, ProcessIdentity author) throws IOException {
    PlanWriter draft = log.draft(plan.job(), author);
    for (PendingUpload upload : plan.uploads()) {
      draft.add(upload, ObjectKeys.directoryOf(upload.destination()));
    }
    for (InlineFile file : plan.inlined()) {
      draft.add(file, ObjectKeys.directoryOf(file.destination()));
    }
    for (OldObject object : plan.replaced()) {
      draft.replace(object);
    }
    for (Path directory : plan.markers()) {
      draft.keep(directory);
    }
    return draft.propose();
  }
}
