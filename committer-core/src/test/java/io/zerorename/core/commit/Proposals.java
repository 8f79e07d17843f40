package io.zerorename.core.commit;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** Proposals that tests write into a log. */
final class Proposals {
  private Proposals() {}

  /** What was proposed and never decided. */
  static List<PlanPart> undecided(CommitLog log, String jobId) throws IOException {
    List<PlanPart> parts = new ArrayList<>();
    log.forEachUndecided(log.openOf(jobId).orElseThrow(), parts::add);
    return parts;
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
