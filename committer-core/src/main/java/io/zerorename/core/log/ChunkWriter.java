package io.zerorename.core.log;

import io.zerorename.core.recordstore.LogRecords;
import java.io.IOException;
import java.util.Optional;

/** Writes the chunks of a job's plan: all but the last one, unless that is long. */
record ChunkWriter(LogRecords records, String jobId) implements PlanWriter.Documents {
  /** A last chunk of more files and objects is a document of its own. */
  private static final int EMBEDDED = 1_000;

  @Override
  public Optional<Document> write(String write, int index, boolean last, PlanChunk chunk)
      throws IOException {
    if (last && chunk.size() <= EMBEDDED) {
      return Optional.empty();
    }
    String name = EntryNames.chunk(jobId, write, index);
    byte[] document = ChunkJson.write(chunk);
    records.putIfAbsent(name, document);
    return Optional.of(Document.of(name, document));
  }
}
