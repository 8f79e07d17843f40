package io.zerorename.core.commit;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.Marker;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Finds out whether a writer that does not use the log has changed what an interrupted entry
 * changes. To complete that entry could bring back what such a writer has removed.
 */
public record ForeignChanges(ObjectStores stores, CommitLog log) {
  /**
   * Leaves an entry to an operator that such a writer has touched; nothing else is changed. To be
   * called before an entry is executed that this process has not decided now.
   *
   * @param tail in which the entry was found
   * @return what was found, in a sentence; empty where nothing was
   */
  public Optional<String> leaveIfChanged(
      LogEntry target, CommitPlan plan, LogTail tail, Workers workers) throws IOException {
    if (tail.state(target.number()) == EntryState.METASTORE_OPEN) {
      // All of its files are in place.
      return Optional.empty();
    }
    Optional<String> foreign = find(target, plan, tail.written(target.number()), workers);
    if (foreign.isPresent()) {
      log.mark(target, EntryState.LEFT, EndNote.NOTHING);
    }
    return foreign;
  }

  /**
   * Searches for objects that are newer than the entry and that no entry has written, and for old
   * objects of the entry that are gone though it has not made all of its files visible. One listing
   * of each directory, and then one of the log: what the first shows, the second explains.
   *
   * @return what was changed, in a sentence; empty where nothing was
   */
  Optional<String> find(LogEntry target, CommitPlan plan, Instant written, Workers workers)
      throws IOException {
    FingerprintSet planned = new FingerprintSet();
    Set<Path> directories = new HashSet<>(target.replaces());
    RemoteIterators.foreach(
        plan.uploads(),
        file -> {
          planned.add(ObjectKeys.located(file.destination(), file.key()));
          directories.add(file.destination().getParent());
        });
    RemoteIterators.foreach(
        plan.replacedByChunk(),
        part ->
            part.forEach(object -> planned.add(ObjectKeys.located(object.bucket(), object.key()))));
    FingerprintSet there = new FingerprintSet();
    Queue<String> newer = new ConcurrentLinkedQueue<>();
    new GroupedListing(
            stores,
            target.job().roots(),
            (directory, object) -> {
              String location = ObjectKeys.located(directory, object.key());
              if (planned.contains(location)) {
                there.add(location);
              } else if (object.lastModified().isAfter(written) && isFile(directory, object)) {
                newer.add(location);
              }
            })
        .visitReplaced(directories, workers);
    LaterEntries later = LaterEntries.than(target, log);
    Optional<String> foreign = foreign(newer, target, later);
    return foreign.isPresent() ? foreign : removed(target, plan, there, later);
  }

  /** Whether readers see it. */
  static boolean isFile(Path directory, ObjectSummary object) {
    return !object.key().endsWith("/")
        && Overwrite.isData(directory, object, (it, below) -> Overwrite.isHidden(below));
  }

  /** Names of files carry the ids of their jobs. */
  private Optional<String> foreign(Collection<String> all, LogEntry target, LaterEntries later)
      throws IOException {
    // Where a later entry has replaced files, this one makes none visible.
    List<String> newer =
        all.stream()
            .filter(location -> !later.isReplacedForGood(new Path("s3a://" + location).getParent()))
            .toList();
    if (newer.isEmpty()) {
      return Optional.empty();
    }
    // Also what was open when it was decided may have become visible since.
    Set<String> jobs =
        jobs(
            log, log.tailDownTo(target.open().isEmpty() ? target.number() : target.open().first()));
    return newer.stream()
        .filter(location -> jobs.stream().noneMatch(location::contains))
        .findFirst()
        .map(
            location ->
                ("ZR-1117: s3a://%s is newer than the entry, and was written by a program that does"
                        + " not use the commit log.")
                    .formatted(location));
  }

  /**
   * The ids of all jobs of a tail. One request for each entry that has not ended, the first time.
   */
  static Set<String> jobs(CommitLog log, LogTail tail) throws IOException {
    Set<String> jobs = new HashSet<>();
    List<Long> open = new ArrayList<>();
    for (long number : tail.numbers()) {
      tail.marker(number).map(Marker::jobId).ifPresentOrElse(jobs::add, () -> open.add(number));
    }
    for (long number : open) {
      log.read(number, tail).ifPresent(entry -> jobs.add(entry.job().id()));
    }
    return jobs;
  }

  /** The entry itself deletes old objects only when all of its files are there. */
  private boolean isIncomplete(CommitPlan plan, FingerprintSet there, LaterEntries later)
      throws IOException {
    for (RemoteIterator<PendingUpload> files = plan.uploads(); files.hasNext(); ) {
      PendingUpload file = files.next();
      if (!there.contains(ObjectKeys.located(file.destination(), file.key()))
          && !later.isEndedOrReplaced(file.destination().getParent())
          && !file.isThere(stores)) {
        return true;
      }
    }
    return false;
  }

  private Optional<String> removed(
      LogEntry target, CommitPlan plan, FingerprintSet there, LaterEntries later)
      throws IOException {
    if (target.kind() != EntryKind.REPLACE || later.tail().isGivenUp(target.number())) {
      // Another job may have replaced the same single objects; what is given up is not awaited.
      return Optional.empty();
    }
    // What it follows may have deleted the same objects after it had listed them.
    List<Path> directories = new ArrayList<>();
    for (long followed : target.follows()) {
      try {
        log.read(followed).map(LogEntry::replaces).ifPresent(directories::addAll);
      } catch (MalformedDocumentException e) {
        // What it may have deleted is not known; the execution reports it, if it must.
        return Optional.empty();
      }
    }
    DirectorySet replaced = new DirectorySet(directories);
    int gone = 0;
    for (RemoteIterator<List<OldObject>> parts = plan.replacedByChunk(); parts.hasNext(); ) {
      for (OldObject object : parts.next()) {
        if (!there.contains(ObjectKeys.located(object.bucket(), object.key()))
            && !replaced.contains(object.directory())
            && !later.isEndedOrReplaced(object.directory())) {
          gone++;
        }
      }
    }
    // Another process may execute the entry, and have come to its end since the first listing.
    return gone > 0 && isIncomplete(plan, there, later)
        ? Optional.of(
            ("ZR-1118: %s of the files that it replaces are gone, though not all of its own files"
                    + " are there.")
                .formatted(gone))
        : Optional.empty();
  }
}
