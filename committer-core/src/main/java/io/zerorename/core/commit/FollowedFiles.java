package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stage of an entry that replaces files: brings the files of earlier entries to an end that it
 * follows, as far as they lie in the directories that it replaces. Afterwards each of them is
 * either there, and can be deleted for good, or can never appear.
 *
 * <p>An upload is completed first: that works once, so that no other process can bring the file
 * back after it was deleted. For small files it waits until no process can write them.
 */
final class FollowedFiles {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedFiles.class);

  private final CommitLog log;
  private final LogTail tail;
  private final UploadCompletion completion;
  private final EntryExecutors executors;
  private final CompletionWait completionWait;

  /**
   * @param tail what was read of the log, which is not read again
   * @param sleep between two tries
   */
  FollowedFiles(
      CommitLog log,
      LogTail tail,
      UploadCompletion completion,
      CompletionWait completionWait,
      Pauses.Sleep sleep) {
    this.log = requireNonNull(log, "log");
    this.tail = requireNonNull(tail, "tail");
    this.completion = requireNonNull(completion, "completion");
    this.executors = new EntryExecutors(log, sleep);
    this.completionWait = requireNonNull(completionWait, "completionWait");
  }

  /**
   * What was brought to an end.
   *
   * @param plans whose files are to be deleted
   * @param entries of which nothing is left: all that they change lies in the replaced directories
   */
  record Result(List<Followed> plans, List<LogEntry> entries) {}

  /**
   * A plan of which some files are meant. They are read from it each time: there may be millions.
   */
  static final class Followed {
    private final CommitPlan plan;
    private final DirectorySet replaced;
    private final DirectorySet left;

    private Followed(CommitPlan plan, DirectorySet replaced, DirectorySet left) {
      this.plan = plan;
      this.replaced = replaced;
      this.left = left;
    }

    private boolean isMeant(OutputFile file) {
      Path directory = file.destination().getParent();
      return replaced.contains(directory) && !left.contains(directory);
    }

    private boolean hasSmallFiles() throws IOException {
      return RemoteIterators.filteringRemoteIterator(plan.inlined(), this::isMeant).hasNext();
    }

    RemoteIterator<Path> destinations() throws IOException {
      return RemoteIterators.mappingRemoteIterator(
          RemoteIterators.filteringRemoteIterator(plan.files(), this::isMeant),
          OutputFile::destination);
    }

    void release() {
      plan.release();
    }
  }

  /**
   * Brings them to an end.
   *
   * @param target the entry that follows them
   * @param plan its plan
   * @param left directories that are the business of a later entry
   * @param seen identities of files that have been visible: these cannot appear again
   * @param decidedHere whether the log was read before the target was decided
   */
  Result run(
      LogEntry target,
      CommitPlan plan,
      DirectorySet left,
      KeyFingerprints seen,
      boolean decidedHere,
      Workers workers)
      throws IOException {
    if (target.follows().isEmpty()) {
      return new Result(List.of(), List.of());
    }
    KeyFingerprints listed = listed(plan);
    List<Followed> plans = new ArrayList<>();
    List<LogEntry> superseded = new ArrayList<>();
    List<PendingUpload> absent = new ArrayList<>();
    for (LogEntry entry : followed(target)) {
      Optional<CommitPlan> theirs = plan(entry);
      if (theirs.isEmpty()) {
        continue;
      }
      Followed followed = new Followed(theirs.get(), target.replaced(), left);
      plans.add(followed);
      Queue<PendingUpload> gone = new ConcurrentLinkedQueue<>();
      RemoteIterator<List<PendingUpload>> parts = theirs.get().uploadsByChunk();
      while (parts.hasNext()) {
        workers.forEach(
            parts.next().stream()
                .filter(followed::isMeant)
                .filter(it -> !seen.contains(it.identity()))
                .filter(it -> !listed.contains(ObjectKeys.located(it.destination(), it.key())))
                .toList(),
            upload -> {
              if (completion.retry(upload) != UploadCompletion.Found.THERE) {
                gone.add(upload);
              }
            });
      }
      absent.addAll(unsettled(gone, entry, target, decidedHere));
      if (followed.hasSmallFiles()) {
        executors.await(entry.number(), target.number());
      }
      if (left.isEmpty() && entry.isInside(target.replaced())) {
        superseded.add(entry);
      }
    }
    // Absent after that they can never appear.
    completionWait.await(absent, completion, workers);
    return new Result(plans, superseded);
  }

  /** The entries whose files are meant: one that executes another stands for that. */
  private Iterable<LogEntry> followed(LogEntry target) throws IOException {
    Map<Long, LogEntry> entries = new TreeMap<>();
    for (long number : target.follows()) {
      // One that is not there any more was cut: nothing of it can appear.
      Optional<LogEntry> entry = read(number);
      if (entry.filter(it -> it.target() != number).isPresent()) {
        entry = read(entry.get().target());
      }
      entry.filter(it -> it.kind() != EntryKind.VOID).ifPresent(it -> entries.put(it.number(), it));
    }
    return entries.values();
  }

  private Optional<LogEntry> read(long number) throws IOException {
    try {
      return log.read(number, tail);
    } catch (MalformedManifestException e) {
      throwUnlessGivenUp(number, e);
      return Optional.empty();
    }
  }

  private Optional<CommitPlan> plan(LogEntry followed) throws IOException {
    try {
      return Optional.of(log.plan(followed));
    } catch (MalformedManifestException e) {
      // Or it was cut since it was read.
      if (log.read(followed.number()).isPresent()) {
        throwUnlessGivenUp(followed.number(), e);
      }
      return Optional.empty();
    }
  }

  /** An operator ends an entry that cannot be read; what it has written stays. */
  private void throwUnlessGivenUp(long number, MalformedManifestException e) throws IOException {
    if (log.tailDownTo(number).markers(number).stream()
        .noneMatch(it -> it.ending() == Ending.DAMAGED)) {
      throw e;
    }
    LOG.warn("Files of entry {} are not replaced, because it is damaged", log.location(number), e);
  }

  /** The old objects that the entry has listed: what is there need not be completed. */
  private static KeyFingerprints listed(CommitPlan plan) throws IOException {
    KeyFingerprints listed = new KeyFingerprints();
    RemoteIterators.foreach(
        plan.replacedByChunk(),
        part -> part.forEach(it -> listed.add(ObjectKeys.located(it.bucket(), it.key()))));
    return listed;
  }

  /**
   * Those of the absent files that an entry between has not brought to an end already. Otherwise an
   * entry that is never ended would make each later one wait. Of each directory the highest entry
   * counts that replaces it: the executor of a lower one may have left it to that. It must have
   * ended before the target was decided, or it may have left the directory to the target; so a
   * process that resumes the target cannot tell.
   */
  private List<PendingUpload> unsettled(
      Collection<PendingUpload> absent, LogEntry followed, LogEntry target, boolean decidedHere)
      throws IOException {
    if (!decidedHere) {
      return List.copyOf(absent);
    }
    List<PendingUpload> rest = List.copyOf(absent);
    List<PendingUpload> unsettled = new ArrayList<>();
    List<Long> numbers = tail.numbers();
    for (int i = numbers.size() - 1; i >= 0 && !rest.isEmpty(); i--) {
      long number = numbers.get(i);
      if (number <= followed.number() || number >= target.number() || !mayReplace(number)) {
        continue;
      }
      Optional<LogEntry> entry = log.read(number, tail);
      if (entry.isEmpty() || entry.get().replaces().isEmpty()) {
        continue;
      }
      DirectorySet replaced = entry.get().replaced();
      boolean settles =
          tail.isExecuted(number) && entry.get().follows().contains(followed.number());
      List<PendingUpload> others = new ArrayList<>();
      for (PendingUpload upload : rest) {
        if (!replaced.contains(upload.destination().getParent())) {
          others.add(upload);
        } else if (!settles) {
          unsettled.add(upload);
        }
      }
      rest = others;
    }
    unsettled.addAll(rest);
    return unsettled;
  }

  /** The name of an ended entry says whether it replaces something. */
  private boolean mayReplace(long number) {
    return tail.marker(number).map(marker -> marker.kind().replaces()).orElse(true);
  }
}
