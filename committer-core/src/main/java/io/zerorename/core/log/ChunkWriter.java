package io.zerorename.core.log;

import io.zerorename.core.recordstore.LogRecords;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/** Writes the chunks of a job's plan: all but the last one, and the contents of small files. */
record ChunkWriter(LogRecords records, String jobId) implements PlanWriter.Documents {
  private static final int MOST_COPIED = 3;

  /** A last chunk of more files and objects is a document of its own. */
  private static final int EMBEDDED = 1_000;

  @Override
  public PlanWriter.Written write(String write, int index, boolean last, PlanChunk chunk)
      throws IOException {
    Optional<Document> bytes = Optional.empty();
    PlanChunk inMemory = chunk;
    if (!chunk.inlined().isEmpty()) {
      byte[] contents = ChunkBytes.join(chunk.inlined());
      bytes = Optional.of(writeContents(write, index, contents));
      inMemory = chunk.withContents(contents);
    }
    Optional<Document> plan = Optional.empty();
    if (!last || chunk.size() > EMBEDDED) {
      String name = EntryNames.chunk(jobId, write, index);
      byte[] document = ChunkJson.write(chunk);
      records.putIfAbsent(name, document);
      plan = Optional.of(Document.of(name, document));
    }
    return new PlanWriter.Written(new ChunkDocuments(plan, bytes), inMemory);
  }

  /**
   * A late copy of the request must not bring contents back that were deleted so that no process
   * can write the files again. So each request has a name of its own, and an entry names the one
   * that was sent once and answered.
   */
  private Document writeContents(String write, int index, byte[] contents) throws IOException {
    String name = EntryNames.bytes(jobId, write, index);
    for (int copied = 0; !records.putOnce(name, contents); ) {
      if (++copied == MOST_COPIED) {
        throw new IOException(
            ("ZR-1204: The contents of small files cannot be written to %s: %s requests in a row"
                    + " were repeated, because an answer was lost. Check the network.")
                .formatted(records.locate(name), MOST_COPIED));
      }
      name = EntryNames.bytes(jobId, UUID.randomUUID().toString(), index);
    }
    return Document.of(name, contents);
  }
}
