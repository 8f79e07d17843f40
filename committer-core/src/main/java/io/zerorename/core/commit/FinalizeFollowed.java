package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectKeys;
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
import java.util.function.Predicate;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * First step of {@link CommitStage#REPLACE}: finalizes the files of followed entries in the
 * directories that are replaced. Afterwards each of them is either there, and can be deleted for
 * good, or can never appear.
 *
 * <p>An upload is completed first: that works once, so that no other process can bring the file
 * back after it was deleted.
 */
final class FinalizeFollowed {
  private static final Logger LOG = LoggerFactory.getLogger(FinalizeFollowed.class);

  private final Execution execution;
  private final CommitLog log;
  private final LogEntry target;
  private final LogTail tail;
  private final FingerprintSet seen;

  FinalizeFollowed(Execution execution, LogTail tail, FingerprintSet seen) {
    this.execution = execution;
    this.log = execution.log;
    this.target = execution.target;
    this.tail = tail;
    this.seen = seen;
  }

  /**
   * What was finalized.
   *
   * @param plans whose files are to be deleted
   * @param superseded entries of which nothing is left: all that they change lies in the replaced
   *     directories
   */
  record Result(List<FollowedPlan> plans, List<LogEntry> superseded) {}

  Result run() throws IOException {
    if (target.follows().isEmpty()) {
      return new Result(List.of(), List.of());
    }
    FingerprintSet listed = listed(execution.plan);
    List<FollowedPlan> plans = new ArrayList<>();
    List<LogEntry> superseded = new ArrayList<>();
    List<PendingUpload> absent = new ArrayList<>();
    for (LogEntry entry : followed()) {
      Optional<CommitPlan> plan = plan(entry);
      if (plan.isEmpty()) {
        continue;
      }
      FollowedPlan followed = new FollowedPlan(plan.get(), target.replaced(), execution.ceded());
      plans.add(followed);
      absent.addAll(unsettled(complete(followed, listed), entry));
      if (execution.ceded().isEmpty() && entry.isInside(target.replaced())) {
        superseded.add(entry);
      }
    }
    // Absent after that they can never appear.
    execution.await(absent);
    return new Result(plans, superseded);
  }

  /** Completes uploads, and returns those that are absent. */
  private Collection<PendingUpload> complete(FollowedPlan followed, FingerprintSet listed)
      throws IOException {
    boolean plainNames = followed.plainNames();
    Predicate<PendingUpload> mayAppear =
        upload ->
            !seen.contains(upload.identity())
                // What lies under a plain name may be another program's.
                && (plainNames
                    || !listed.contains(ObjectKeys.located(upload.destination(), upload.key())));
    Queue<PendingUpload> absent = new ConcurrentLinkedQueue<>();
    RemoteIterator<List<PendingUpload>> chunks = followed.uploadsByChunk();
    while (chunks.hasNext()) {
      execution.workers.forEach(
          chunks.next().stream().filter(mayAppear).toList(),
          upload -> {
            if (!isFinal(upload, plainNames)) {
              absent.add(upload);
            }
          });
    }
    return absent;
  }

  /** Completes an upload. One that would replace another program's file is aborted instead. */
  private boolean isFinal(PendingUpload upload, boolean plainName) throws IOException {
    Optional<ObjectHead> there =
        plainName ? CommittedFiles.head(upload, execution.stores) : Optional.empty();
    return there.isPresent()
        ? upload.isIdentityOf(there.get()) || execution.completion.abort(upload)
        : execution.completion.retry(upload) == UploadCompletion.Found.THERE;
  }

  /** The followed entries: one that executes another stands for that. */
  private Iterable<LogEntry> followed() throws IOException {
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
      throwUnlessForceClosed(number, e);
      return Optional.empty();
    }
  }

  private Optional<CommitPlan> plan(LogEntry followed) throws IOException {
    try {
      return Optional.of(log.plan(followed));
    } catch (MalformedManifestException e) {
      // Or it was cut since it was read.
      if (log.read(followed.number()).isPresent()) {
        throwUnlessForceClosed(followed.number(), e);
      }
      return Optional.empty();
    }
  }

  /** An operator ends an entry that cannot be read; what it has written stays. */
  private void throwUnlessForceClosed(long number, MalformedManifestException e)
      throws IOException {
    if (log.tailDownTo(number).markers(number).stream()
        .noneMatch(it -> it.ending() == Ending.DAMAGED)) {
      throw e;
    }
    LOG.warn(
        "ZR-1116: Files of entry {} are not replaced, because it is damaged",
        log.location(number),
        e);
  }

  /** The old objects that the entry has listed: what is there need not be completed. */
  private static FingerprintSet listed(CommitPlan plan) throws IOException {
    FingerprintSet listed = new FingerprintSet();
    RemoteIterators.foreach(
        plan.replacedByChunk(),
        part -> part.forEach(it -> listed.add(ObjectKeys.located(it.bucket(), it.key()))));
    return listed;
  }

  /**
   * Returns the absent uploads that still have to be waited for. An upload needs no wait if the
   * highest entry between the followed one and the target that replaces its directory follows the
   * followed one too, and was executed when the log was listed: it has waited. Without this, an
   * entry that never ends would make each later one wait.
   *
   * <p>Lower entries prove nothing, because they may have ceded the directory to the highest. A
   * process that resumes the target cannot use this rule: it has listed the log after the target
   * was decided, and the entry between may have ceded the directory to the target.
   */
  private List<PendingUpload> unsettled(Collection<PendingUpload> absent, LogEntry followed)
      throws IOException {
    if (!execution.isOwn()) {
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
