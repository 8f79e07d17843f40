package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * An entry that has no number yet.
 *
 * @param target the entry that is resumed or given up; empty for one that decides its job
 * @param window for how long after its write the executor may PUT small files; zero where there are
 *     none
 */
public record EntryDraft(
    EntryKind kind,
    String writeId,
    OutputJob job,
    Optional<List<Path>> scope,
    DirectorySet replaces,
    SortedSet<Long> follows,
    Optional<Long> target,
    Duration window,
    List<Proposal.Part> parts) {
  private static final DirectorySet NOTHING = new DirectorySet(List.of());

  public EntryDraft {
    requireNonNull(kind, "kind");
    requireNonNull(writeId, "writeId");
    requireNonNull(job, "job");
    scope = scope.map(List::copyOf);
    requireNonNull(replaces, "replaces");
    follows = new TreeSet<>(follows);
    if (kind.decides() == target.isPresent()) {
      throw new IllegalArgumentException(kind + " with target " + target);
    }
    requireNonNull(window, "window");
    parts = List.copyOf(parts);
  }

  /** An entry by which a job can never commit. */
  static EntryDraft against(OutputJob job) {
    return new EntryDraft(
        EntryKind.VOID,
        UUID.randomUUID().toString(),
        job,
        Optional.of(List.of()),
        NOTHING,
        new TreeSet<>(),
        Optional.empty(),
        Duration.ZERO,
        List.of());
  }

  /** An entry by which this process executes another; it may change what that may change. */
  static EntryDraft resuming(LogEntry target, Duration window) {
    return new EntryDraft(
        EntryKind.RESUME,
        UUID.randomUUID().toString(),
        target.job(),
        target
            .scope()
            .map(scope -> Stream.concat(scope.stream(), target.replaces().stream()).toList()),
        NOTHING,
        new TreeSet<>(),
        Optional.of(target.number()),
        window,
        List.of());
  }

  /** The entry at a number. */
  LogEntry at(long number, SortedSet<Long> allFollowed, long lowest, Instant now) {
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
        window.isZero() ? Optional.empty() : Optional.of(now.plus(window)),
        parts);
  }
}
