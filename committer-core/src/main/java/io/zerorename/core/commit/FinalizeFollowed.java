package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
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
import java.util.Optional;
import java.util.Queue;
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
  private final LogEntry entry;
  private final LogTail tail;
  private final FingerprintSet seen;
  private final boolean giveUp;

  /**
   * @param giveUp whether an operator gives the entry up: then followed ones that have ended, and
   *     that cannot be read, are left out
   */
  FinalizeFollowed(Execution execution, LogTail tail, FingerprintSet seen, boolean giveUp) {
    this.execution = execution;
    this.log = execution.log();
    this.entry = execution.entry();
    this.tail = tail;
    this.seen = seen;
    this.giveUp = giveUp;
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
    if (entry.follows().isEmpty()) {
      return new Result(List.of(), List.of());
    }
    FingerprintSet listed = listed(execution.plan());
    List<FollowedPlan> plans = new ArrayList<>();
    List<LogEntry> superseded = new ArrayList<>();
    List<PendingUpload> absent = new ArrayList<>();
    for (LogEntry earlier : followed()) {
      Optional<CommitPlan> plan = plan(earlier);
      if (plan.isEmpty()) {
        continue;
      }
      FollowedPlan followed = new FollowedPlan(plan.get(), entry.replaced());
      plans.add(followed);
      // Of one that had ended when the log was listed nothing can appear.
      if (tail.isEnded(earlier.number())) {
        continue;
      }
      // Nor of one of which only partitions are to be registered yet.
      if (!tail.state(earlier.number()).isExecuted()) {
        absent.addAll(unsettled(complete(followed, listed), earlier));
      }
      if (earlier.isInside(entry.replaced())) {
        superseded.add(earlier);
      }
    }
    // Absent after that they can never appear.
    execution.await(absent, rest -> rest);
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
      execution
          .workers()
          .forEach(
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
        plainName ? CommittedFiles.head(upload, execution.stores()) : Optional.empty();
    return there.isPresent()
        ? upload.isIdentityOf(there.get()) || execution.completion().abort(upload)
        : execution.completion().retry(upload) == UploadCompletion.Found.THERE;
  }

  private List<LogEntry> followed() throws IOException {
    List<LogEntry> entries = new ArrayList<>();
    for (long number : entry.follows()) {
      // One that is not there any more was cut: nothing of it can appear.
      read(number).filter(LogEntry::hasPlan).ifPresent(entries::add);
    }
    return entries;
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
    EntryState state = log.tailDownTo(number).state(number);
    if (state != EntryState.DAMAGED && !(giveUp && state.isEnded())) {
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
   * Returns the absent uploads that still have to be waited for: not those in directories that an
   * entry between has replaced which follows the followed one too, and was executed. It has waited.
   * Without this, an entry that never ends would make each later one wait.
   */
  private List<PendingUpload> unsettled(Collection<PendingUpload> absent, LogEntry followed)
      throws IOException {
    List<PendingUpload> rest = new ArrayList<>(absent);
    List<Long> numbers = tail.numbers();
    for (int i = numbers.size() - 1; i >= 0 && !rest.isEmpty(); i--) {
      long number = numbers.get(i);
      if (number <= followed.number()
          || number >= entry.number()
          || !tail.state(number).isExecuted()
          || tail.marker(number).filter(it -> it.kind() == EntryKind.REPLACE).isEmpty()) {
        continue;
      }
      Optional<LogEntry> between = log.read(number, tail);
      if (between.filter(it -> it.follows().contains(followed.number())).isPresent()) {
        DirectorySet replaced = between.get().replaced();
        rest.removeIf(upload -> replaced.contains(upload.destination().getParent()));
      }
    }
    return rest;
  }
}
