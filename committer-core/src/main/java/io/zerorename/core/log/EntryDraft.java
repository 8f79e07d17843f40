package io.zerorename.core.log;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.hadoop.fs.Path;

/**
 * A {@link LogEntry} that has no number yet.
 *
 * @param chunks the documents of its plan, in order
 * @param embedded the last chunk, where the entry itself holds it
 */
public record EntryDraft(
    EntryKind kind,
    String writeId,
    OutputJob job,
    List<Path> scope,
    DirectorySet replaces,
    SortedSet<Long> follows,
    List<Document> chunks,
    Optional<PlanChunk> embedded) {

  /**
   * An entry that decides a job for its plan.
   *
   * @param writer of the plan, which is complete
   */
  public static EntryDraft deciding(
      EntryKind kind,
      PlanWriter writer,
      List<Path> scope,
      DirectorySet replaces,
      SortedSet<Long> follows) {
    return new EntryDraft(
        kind,
        writer.id(),
        writer.plan().job(),
        scope,
        replaces,
        follows,
        writer.written(),
        writer.plan().embedded());
  }

  /** An entry by which a job can never commit. */
  static EntryDraft against(OutputJob job) {
    return new EntryDraft(
        EntryKind.VOID,
        UUID.randomUUID().toString(),
        job,
        List.of(),
        DirectorySet.none(),
        new TreeSet<>(),
        List.of(),
        Optional.empty());
  }

  /** The entry at a number. */
  LogEntry at(long number, SortedSet<Long> allFollowed, SortedSet<Long> open) {
    return new LogEntry(
        number, kind, writeId, job, scope, replaces.paths(), allFollowed, open, chunks, embedded);
  }
}
