package io.zerorename.core.commit;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
 * back after it was deleted. One of a plain name that would replace another program's file is
 * aborted instead.
 */
record FinalizeFollowed(
    CommitLog log, LogTail tail, LogEntry entry, UploadCompletion completion, Workers workers) {
  private static final Logger LOG = LoggerFactory.getLogger(FinalizeFollowed.class);

  /**
   * What was finalized.
   *
   * @param plans whose files in the replaced directories are to be deleted
   * @param listed locations of the old objects that the entry itself has listed
   * @param superseded entries of which nothing is left: all that they change lies in the replaced
   *     directories
   */
  record Result(List<CommitPlan> plans, FingerprintSet listed, List<LogEntry> superseded) {
    /**
     * What a followed entry replaces in some directories, and the entry itself has not listed: a
     * program without the log has written it between the two listings. A superseded entry deletes
     * nothing any more.
     */
    RemoteIterator<List<OldObject>> replacedByFollowed(
        CommitPlan followed, DirectorySet directories) {
      return RemoteIterators.mappingRemoteIterator(
          followed.replacedByChunk(),
          part ->
              part.stream()
                  .filter(it -> directories.contains(it.directory()))
                  .filter(it -> !listed.contains(ObjectKeys.located(it.bucket(), it.key())))
                  .toList());
    }
  }

  /**
   * @param plan of the entry
   * @param seen identities of files that have been visible, which cannot appear again
   * @param giveUp whether an operator gives the entry up: then followed ones that have ended, and
   *     that cannot be read, are left out
   */
  Result run(CommitPlan plan, FingerprintSet seen, boolean giveUp) throws IOException {
    if (entry.follows().isEmpty()) {
      return new Result(List.of(), new FingerprintSet(), List.of());
    }
    // What is there, as the entry has listed it, need not be completed.
    FingerprintSet listed = new FingerprintSet();
    RemoteIterators.foreach(
        plan.replacedByChunk(),
        part -> part.forEach(it -> listed.add(ObjectKeys.located(it.bucket(), it.key()))));
    List<CommitPlan> plans = new ArrayList<>();
    List<LogEntry> superseded = new ArrayList<>();
    UploadCompletion ofPlainNames = completion.ofPlainNames(completion::abort);
    List<PendingUpload> absent = new ArrayList<>();
    List<PendingUpload> absentOfPlainNames = new ArrayList<>();
    for (long number : entry.follows()) {
      Optional<OpenEntry> followed = read(number, giveUp);
      if (followed.isEmpty()) {
        continue;
      }
      plans.add(followed.get().plan());
      // Of one that had ended when the log was listed nothing can appear.
      if (tail.isEnded(number)) {
        continue;
      }
      // Nor of one of which only partitions are to be registered yet.
      if (!tail.state(number).isExecuted()) {
        CommitPlan its = followed.get().plan();
        boolean plain = its.job().plainNames();
        (plain ? absentOfPlainNames : absent)
            .addAll(
                unsettled(complete(its, plain ? ofPlainNames : completion, listed, seen), number));
      }
      if (followed.get().entry().isInside(entry.replaced())) {
        superseded.add(followed.get().entry());
      }
    }
    // Absent after that they can never appear.
    completion.await(absent, rest -> rest);
    ofPlainNames.await(absentOfPlainNames, rest -> rest);
    return new Result(plans, listed, superseded);
  }

  /** The files of a plan in some directories. There may be millions, so they are read each time. */
  static RemoteIterator<PendingUpload> filesIn(DirectorySet directories, CommitPlan plan)
      throws IOException {
    return RemoteIterators.filteringRemoteIterator(
        plan.uploads(), file -> directories.contains(file.destination().getParent()));
  }

  /** Completes uploads, and returns those that are absent. */
  private Collection<PendingUpload> complete(
      CommitPlan followed, UploadCompletion its, FingerprintSet listed, FingerprintSet seen)
      throws IOException {
    Queue<PendingUpload> absent = new ConcurrentLinkedQueue<>();
    workers.forEach(
        filesIn(entry.replaced(), followed),
        followed.fileCount(),
        upload -> {
          boolean mayAppear =
              !seen.contains(upload.identity())
                  // What lies under a plain name may be another program's.
                  && (followed.job().plainNames()
                      || !listed.contains(ObjectKeys.located(upload.destination(), upload.key())));
          if (mayAppear && !its.retry(upload)) {
            absent.add(upload);
          }
        });
    return absent;
  }

  /** Empty where nothing of it can appear, or what it has written has to stay. */
  private Optional<OpenEntry> read(long number, boolean giveUp) throws IOException {
    try {
      // One that is not there any more was cut: nothing of it can appear.
      Optional<LogEntry> followed = log.read(number, tail).filter(it -> it.kind().commits());
      return followed.isPresent()
          ? Optional.of(new OpenEntry(log, followed.get(), log.plan(followed.get())))
          : Optional.empty();
    } catch (MalformedDocumentException e) {
      LogTail now = log.tailDownTo(number);
      if (now.numbers().contains(number)) {
        // An operator ends an entry that cannot be read.
        EntryState state = now.state(number);
        if (state != EntryState.DAMAGED && !(giveUp && state.isEnded())) {
          throw e;
        }
        LOG.warn(
            "ZR-1116: Files of entry {} are not replaced, because it is damaged",
            log.location(number),
            e);
      }
      // Or it was cut since it was read.
      return Optional.empty();
    }
  }

  /**
   * Returns the absent uploads that still have to be waited for: not those in directories that an
   * entry between has replaced which follows the followed one too, and was executed. It has waited.
   * Without this, an entry that never ends would make each later one wait.
   */
  private List<PendingUpload> unsettled(Collection<PendingUpload> absent, long followed)
      throws IOException {
    List<PendingUpload> rest = new ArrayList<>(absent);
    List<Long> numbers = tail.numbers();
    for (int i = numbers.size() - 1; i >= 0 && !rest.isEmpty(); i--) {
      long number = numbers.get(i);
      if (number <= followed
          || number >= entry.number()
          || !tail.state(number).isExecuted()
          || tail.marker(number).filter(it -> it.kind() == EntryKind.REPLACE).isEmpty()) {
        continue;
      }
      Optional<LogEntry> between = log.read(number, tail);
      if (between.filter(it -> it.follows().contains(followed)).isPresent()) {
        DirectorySet replaced = between.get().replaced();
        rest.removeIf(upload -> replaced.contains(upload.destination().getParent()));
      }
    }
    return rest;
  }
}
