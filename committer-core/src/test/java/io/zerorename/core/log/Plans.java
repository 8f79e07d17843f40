package io.zerorename.core.log;

import io.zerorename.core.records.ObjectRecords;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.InMemoryObjectStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** Plans that tests make by hand, or want to see whole. */
public final class Plans {
  private Plans() {}

  public static PlanPart part(
      OutputJob job, List<PendingUpload> uploads, List<OldObject> replaced, List<Path> markers) {
    return new PlanPart(job, uploads, List.of(), replaced, markers);
  }

  /** All documents of a plan as one. */
  public static PlanPart whole(CommitPlan plan) {
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
