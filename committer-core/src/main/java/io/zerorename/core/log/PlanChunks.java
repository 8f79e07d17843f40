package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.VersionedJson;
import io.zerorename.core.records.RecordStore;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The chunks of an entry's plan: in the entry, in memory, or read whenever needed. */
final class PlanChunks {
  private final RecordStore records;
  private final OutputJob job;
  private final List<ChunkDocuments> chunks;
  private final Optional<PlanChunk> embedded;
  private final ChunkCache kept;

  PlanChunks(
      RecordStore records,
      OutputJob job,
      List<ChunkDocuments> chunks,
      Optional<PlanChunk> embedded,
      ChunkCache kept) {
    this.records = requireNonNull(records, "records");
    this.job = requireNonNull(job, "job");
    this.chunks = List.copyOf(chunks);
    this.embedded = requireNonNull(embedded, "embedded");
    this.kept = requireNonNull(kept, "kept");
  }

  int count() {
    return chunks.size();
  }

  PlanChunk get(int index) throws IOException {
    Optional<PlanChunk> inMemory = kept.get(index);
    if (inMemory.isPresent()) {
      return inMemory.get();
    }
    ChunkDocuments chunk = chunks.get(index);
    return chunk.plan().isPresent() ? read(chunk.plan().get(), chunk) : embedded.orElseThrow();
  }

  private PlanChunk read(Document document, ChunkDocuments chunk) throws IOException {
    String where = records.locate(document.name());
    byte[] bytes =
        records
            .get(document.name())
            .orElseThrow(
                () ->
                    new MalformedManifestException(
                        "The plan "
                            + where
                            + " is gone: something deletes the committer's records. What it listed"
                            + " cannot be known.",
                        null));
    if (!document.is(bytes)) {
      throw new MalformedManifestException(
          "The plan " + where + " is not the one that was decided: it was changed or damaged.",
          null);
    }
    return ChunkJson.read(bytes, where, job, contents(records, chunk));
  }

  /** Where the contents of a chunk's small files are found. */
  static VersionedJson.Bodies contents(RecordStore records, ChunkDocuments chunk) {
    Optional<ChunkBytes> bytes = chunk.bytes().map(document -> new ChunkBytes(records, document));
    return (offset, length) ->
        bytes
            .orElseThrow(
                () ->
                    new MalformedManifestException(
                        "it has small files, and says nothing of their contents", null))
            .at(offset, length);
  }

  /** Leaves the memory that they take to other plans. */
  void release() {
    kept.release();
  }
}
