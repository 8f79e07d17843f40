package io.zerorename.core.log;

import io.zerorename.core.recordstore.ObjectRecords;
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

  public static PlanChunk part(
      OutputJob job, List<PendingUpload> uploads, List<OldObject> replaced, List<Path> markers) {
    return new PlanChunk(job, uploads, replaced, markers);
  }

  /** All documents of a plan as one. */
  public static PlanChunk whole(CommitPlan plan) throws IOException {
    List<OldObject> replaced = new ArrayList<>();
    List<Path> markers = new ArrayList<>();
    RemoteIterators.foreach(plan.replacedByChunk(), replaced::addAll);
    RemoteIterators.foreach(plan.markersByChunk(), markers::addAll);
    return new PlanChunk(plan.job(), RemoteIterators.toList(plan.uploads()), replaced, markers);
  }

  /** A plan of one document. */
  public static CommitPlan of(PlanChunk part) {
    PlanTotals totals = new PlanTotals();
    totals.add(0, part);
    return new CommitPlan(
        new ObjectRecords(new InMemoryObjectStore("bucket"), new Path("s3a://bucket/log")),
        part.job(),
        List.of(),
        Optional.of(part),
        new ChunkCache(),
        totals);
  }

  /** For plans that are not proposed. */
  static Optional<Document> unwritten(String write, int index) {
    return Optional.of(new Document(write + index, ""));
  }
}
