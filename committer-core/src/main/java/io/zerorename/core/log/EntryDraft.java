package io.zerorename.core.log;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * A {@link LogEntry} that has no number yet.
 *
 * @param target empty for one that decides its job
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
    Optional<Long> target,
    List<Document> chunks,
    Optional<PlanChunk> embedded) {

  /**
   * An entry that decides a job for its plan.
   *
   * @param plan is complete
   */
  public static EntryDraft deciding(
      EntryKind kind,
      PlanWriter plan,
      List<Path> scope,
      DirectorySet replaces,
      SortedSet<Long> follows) {
    return new EntryDraft(
        kind,
        plan.id(),
        plan.job(),
        scope,
        replaces,
        follows,
        Optional.empty(),
        plan.written(),
        plan.embedded());
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
        Optional.empty(),
        List.of(),
        Optional.empty());
  }

  /**
   * An entry by which this process executes another. It may change what that may change, and who
   * follows it follows that, and what that follows, as well.
   *
   * @param kind {@link EntryKind#RESUME} or {@link EntryKind#GIVEUP}
   */
  static EntryDraft executing(LogEntry target, EntryKind kind) {
    SortedSet<Long> follows = new TreeSet<>(target.follows());
    follows.add(target.number());
    return new EntryDraft(
        kind,
        UUID.randomUUID().toString(),
        target.job(),
        Stream.concat(target.scope().stream(), target.replaces().stream()).toList(),
        DirectorySet.none(),
        follows,
        Optional.of(target.number()),
        List.of(),
        Optional.empty());
  }

  /** The entry at a number. */
  LogEntry at(long number, SortedSet<Long> allFollowed, long lowest) {
    return new LogEntry(
        number,
        kind,
        writeId,
        job,
        ProcessIdentity.current(),
        scope,
        replaces.paths(),
        allFollowed,
        target.orElse(number),
        lowest,
        chunks,
        embedded);
  }
}
