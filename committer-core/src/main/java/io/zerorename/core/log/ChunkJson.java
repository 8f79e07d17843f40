package io.zerorename.core.log;

import io.zerorename.core.manifest.VersionedJson;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** The JSON form of a chunk of a plan. */
final class ChunkJson {
  private static final VersionedJson JSON =
      new VersionedJson(
          "chunk of a plan",
          3,
          "Nothing was changed by reading it. Keep it: it says what a job has to do.");

  private ChunkJson() {}

  /** A chunk that names its job, which its entry holds. */
  record Stored(
      String jobId, List<PendingUpload> uploads, List<OldObject> replaced, List<Path> markers) {
    static Stored of(PlanChunk chunk) {
      return new Stored(chunk.job().id(), chunk.uploads(), chunk.replaced(), chunk.markers());
    }

    PlanChunk of(OutputJob job) {
      return new PlanChunk(job, uploads, replaced, markers);
    }
  }

  /** A document of its own. */
  static byte[] write(PlanChunk chunk) throws IOException {
    return JSON.write(Stored.of(chunk));
  }

  /**
   * Reads a document.
   *
   * @param where it was found, for messages
   */
  static PlanChunk read(byte[] document, String where, OutputJob job) throws IOException {
    Stored stored = JSON.read(document, where, Stored.class);
    if (!stored.jobId().equals(job.id())) {
      throw JSON.malformed(where, "it is of job " + stored.jobId());
    }
    return stored.of(job);
  }
}
