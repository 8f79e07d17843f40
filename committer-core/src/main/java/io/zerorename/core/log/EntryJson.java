package io.zerorename.core.log;

import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.util.Optional;

/** The JSON form of an entry. */
final class EntryJson {
  private static final VersionedJson JSON =
      new VersionedJson(
          "entry of the commit log",
          3,
          "Nothing was changed by reading it. Keep it: it says what a job has to do.");

  private EntryJson() {}

  /** What is embedded would name the entry's job once more. */
  private record Stored(LogEntry entry, Optional<ChunkJson.Stored> embedded) {}

  static byte[] write(LogEntry entry) throws IOException {
    return JSON.write(
        new Stored(with(entry, Optional.empty()), entry.embedded().map(ChunkJson.Stored::of)));
  }

  /**
   * Reads an entry.
   *
   * @param number under which it was found
   * @param where it was found, for messages
   * @throws MalformedManifestException where it is no entry of that number, or of another version
   */
  static LogEntry read(byte[] document, long number, String where) throws IOException {
    Stored stored = JSON.read(document, where, Stored.class);
    LogEntry entry = stored.entry();
    if (entry.number() != number) {
      throw JSON.malformed(where, "it says that its number is " + entry.number());
    }
    for (long followed : entry.follows()) {
      if (followed < 1 || followed >= number) {
        throw JSON.malformed(where, "it follows " + followed + ", no earlier entry");
      }
    }
    return with(entry, stored.embedded().map(chunk -> chunk.of(entry.job())));
  }

  private static LogEntry with(LogEntry entry, Optional<PlanChunk> embedded) {
    return new LogEntry(
        entry.number(),
        entry.kind(),
        entry.writeId(),
        entry.job(),
        entry.executor(),
        entry.scope(),
        entry.replaces(),
        entry.follows(),
        entry.target(),
        entry.lowest(),
        entry.chunks(),
        embedded);
  }
}
