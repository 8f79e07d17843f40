package io.zerorename.core.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.util.functional.RemoteIterators;

/** Plans that tests want to see whole. */
public final class Plans {
  private Plans() {}

  /** All documents of a plan as one. */
  public static PlanChunk whole(CommitPlan plan) throws IOException {
    List<OldObject> replaced = new ArrayList<>();
    RemoteIterators.foreach(plan.replacedByChunk(), replaced::addAll);
    return new PlanChunk(
        RemoteIterators.toList(plan.uploads()), replaced, RemoteIterators.toList(plan.markers()));
  }
}
