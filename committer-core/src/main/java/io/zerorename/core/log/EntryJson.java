package io.zerorename.core.log;

import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The JSON form of an entry. */
final class EntryJson {
  private static final VersionedJson JSON =
      new VersionedJson(
          "entry of the commit log",
          4,
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
    for (long earlier : lower(entry)) {
      if (earlier < 1 || earlier >= number) {
        throw JSON.malformed(where, "it names " + earlier + ", no earlier entry");
      }
    }
    return with(entry, stored.embedded().map(chunk -> chunk.of(entry.job())));
  }

  private static SortedSet<Long> lower(LogEntry entry) {
    SortedSet<Long> lower = new TreeSet<>(entry.follows());
    lower.addAll(entry.open());
    return lower;
  }

  private static LogEntry with(LogEntry entry, Optional<PlanChunk> embedded) {
    return new LogEntry(
        entry.number(),
        entry.kind(),
        entry.writeId(),
        entry.job(),
        entry.scope(),
        entry.replaces(),
        entry.follows(),
        entry.open(),
        entry.chunks(),
        embedded);
  }
}
