package io.zerorename.core.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.testing.Decisions;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.hadoop.fs.Path;

/** Many jobs of the past. */
public final class EndedEntries {
  private EndedEntries() {}

  /**
   * Adds the entries and markers of jobs that have added files to a directory, one after the other.
   * The first is decided as any job is; the others have its records with other names, numbers and
   * ids, because to list the log for each takes long.
   */
  public static void add(InMemoryObjectStore store, CommitLog log, int jobs, Path directory)
      throws IOException {
    OutputJob job = new OutputJob(UUID.randomUUID().toString(), "INSERT", List.of(directory));
    LogEntry draft =
        new LogEntry(
            0,
            EntryKind.ADD,
            UUID.randomUUID().toString(),
            job,
            List.of(directory),
            List.of(),
            new TreeSet<>(),
            new TreeSet<>(),
            List.of(),
            PlanChunk.EMPTY);
    LogEntry first = Decisions.decide(log, draft, log.tail());
    log.mark(first, EntryState.COMPLETE, EndNote.NOTHING);
    String prefix = ObjectKeys.prefixOf(log.directory());
    String entry = new String(store.content(prefix + EntryNames.entry(first.number())), UTF_8);
    for (long number = first.number() + 1; number < first.number() + jobs; number++) {
      String id = UUID.randomUUID().toString();
      String text =
          entry
              .replace("\"number\":" + first.number() + ",", "\"number\":" + number + ",")
              .replace(first.writeId(), UUID.randomUUID().toString())
              .replace(job.id(), id);
      String etag = put(store, prefix + EntryNames.entry(number), text.getBytes(UTF_8));
      Marker end =
          new Marker(
              number,
              EntryState.COMPLETE,
              EntryKind.ADD,
              EntryNames.inName(etag),
              Optional.of(new TreeSet<>(first.open())),
              "",
              id);
      put(store, prefix + EntryNames.marker(end), new byte[0]);
    }
    if (!log.read(first.number() + jobs - 1).orElseThrow().open().equals(first.open())) {
      throw new AssertionError("an entry is not like the first");
    }
  }

  private static String put(InMemoryObjectStore store, String key, byte[] bytes)
      throws IOException {
    return store.putObjectIfAbsent(key, RepeatableBody.of(bytes), Map.of());
  }
}
