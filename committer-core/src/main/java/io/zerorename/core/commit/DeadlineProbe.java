package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitDirectoryCheck;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PutDeadlines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a store refuses a PUT whose deadline has passed, and notes that for the day:
 * beside the logs, and on the cluster file system, where to read it takes no request. Only then may
 * small files be written after the decision: a request that comes too late must not bring a file
 * back that was replaced.
 */
final class DeadlineProbe {
  private static final Logger LOG = LoggerFactory.getLogger(DeadlineProbe.class);
  private static final String KEPT = "kept";

  private final ObjectStores stores;
  private final CommitLog log;
  private final Optional<RecordStore> shared;

  /** Guarded by this. */
  private Optional<Boolean> kept = Optional.empty();

  /**
   * @param shared notes on the cluster file system, where there is one
   */
  DeadlineProbe(ObjectStores stores, CommitLog log, Optional<RecordStore> shared) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.shared = requireNonNull(shared, "shared");
  }

  /**
   * Whether a small file may be written after the decision: it lies in the bucket of the log, whose
   * store keeps deadlines. No request where a note is on the cluster file system, else one; once a
   * day three more, of which the SDK repeats the late one as often as fs.s3a.attempts.maximum says.
   */
  boolean allows(Path destination) {
    return ObjectKeys.bucketOf(log.directory()).equals(ObjectKeys.bucketOf(destination))
        && isKept(log.directory());
  }

  private synchronized boolean isKept(Path directory) {
    if (kept.isEmpty()) {
      try {
        kept = Optional.of(known(directory));
      } catch (IOException e) {
        LOG.warn(
            "ZR-1105: Small files are uploaded in several requests, because it is unknown whether"
                + " the store of {} refuses late requests",
            directory,
            e);
        kept = Optional.of(false);
      }
    }
    return kept.get();
  }

  private boolean known(Path directory) throws IOException {
    if (!stores.forPath(directory).datesSignatures()) {
      // Only this client: others may find out otherwise.
      return false;
    }
    Path commitDirectory = directory.getParent();
    String name =
        CommitDirectoryCheck.nameOf(
            LocalDate.now(ZoneOffset.UTC) + ".put-deadlines." + ObjectKeys.bucketOf(directory));
    RecordStore beside = new ObjectRecords(stores, commitDirectory);
    Optional<byte[]> note = shared.isPresent() ? shared.get().get(name) : Optional.empty();
    if (note.isPresent()) {
      return isKept(note.get());
    }
    note = beside.get(name);
    boolean found = note.isPresent() ? isKept(note.get()) : probe(commitDirectory);
    if (note.isEmpty()) {
      note(beside, name, found);
    }
    shared.ifPresent(notes -> note(notes, name, found));
    return found;
  }

  private static boolean isKept(byte[] note) {
    return KEPT.equals(new String(note, StandardCharsets.UTF_8));
  }

  private static void note(RecordStore notes, String name, boolean found) {
    try {
      notes.putIfAbsent(name, (found ? KEPT : "ignored").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.info("{} could not be noted; the next commit tries again", notes.locate(name), e);
    }
  }

  private boolean probe(Path commitDirectory) throws IOException {
    String key =
        ObjectKeys.prefixOf(commitDirectory)
            + CommitDirectoryCheck.nameOf(LocalDate.now(ZoneOffset.UTC) + "-" + UUID.randomUUID());
    Optional<String> reason =
        new PutDeadlines(stores.forPath(commitDirectory), key).reasonAgainst();
    reason.ifPresent(
        text ->
            LOG.warn(
                "ZR-1106: Small files are uploaded in several requests, because the store of {}"
                    + " cannot take them in one: {}",
                commitDirectory,
                text));
    return reason.isEmpty();
  }
}
