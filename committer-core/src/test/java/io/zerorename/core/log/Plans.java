package io.zerorename.core.log;

import io.zerorename.core.records.ObjectRecords;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/** Plans that tests make by hand, or want to see whole. */
public final class Plans {
  private Plans() {}

  public static PlanPart part(
      OutputJob job, List<PendingUpload> uploads, List<OldObject> replaced, List<Path> markers) {
    return new PlanPart(job, uploads, List.of(), replaced, markers);
  }

  /** All documents of a plan as one. */
  public static PlanPart whole(CommitPlan plan) throws IOException {
    List<OldObject> replaced = new ArrayList<>();
    List<Path> markers = new ArrayList<>();
    RemoteIterators.foreach(plan.replacedByPart(), replaced::addAll);
    RemoteIterators.foreach(plan.markersByPart(), markers::addAll);
    return new PlanPart(
        plan.job(),
        RemoteIterators.toList(plan.uploads()),
        RemoteIterators.toList(plan.inlined()),
        replaced,
        markers);
  }

  /** A plan of one document. */
  public static CommitPlan of(PlanPart part) {
    PlanTotals totals = new PlanTotals();
    totals.add(0, part);
    return new CommitPlan(
        part.job(),
        new EntryParts(
            new ObjectRecords(new InMemoryObjectStore("bucket"), new Path("s3a://bucket/log")),
            part.job(),
            List.of(new Chunk(Optional.empty(), Optional.empty())),
            Optional.of(part),
            new ChunkCache()),
        totals);
  }

  /** For plans that are not proposed. */
  public static PlanWriter.Written<Document> unwritten(
      String proposal, int number, boolean last, PlanPart part) {
    return new PlanWriter.Written<>(new Document(proposal + number, ""), part);
  }
}
