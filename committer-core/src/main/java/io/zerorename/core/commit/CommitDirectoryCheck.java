package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.records.NotWrittenException;
import io.zerorename.core.records.ObjectRecords;
import io.zerorename.core.records.RecordStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether a store can keep decisions, and does, once a day, what is to be done about a commit
 * directory: it warns of a lifecycle rule that endangers running jobs, and of the lack of one that
 * removes what is left behind, and forgets old decisions.
 */
final class CommitDirectoryCheck {
  private static final Logger LOG = LoggerFactory.getLogger(CommitDirectoryCheck.class);
  static final String CHECKS = "checks";

  private final ObjectStores stores;
  private final Path directory;
  private final Path destination;
  private final Optional<RecordStore> notes;

  /**
   * @param destination whose decisions are to be kept there
   * @param work where a good result is noted, to spare the next jobs of the day the request
   */
  CommitDirectoryCheck(
      ObjectStores stores, Path directory, Path destination, Optional<WorkDirectory> work) {
    this.stores = requireNonNull(stores, "stores");
    this.directory = requireNonNull(directory, "directory");
    this.destination = requireNonNull(destination, "destination");
    this.notes = work.map(WorkDirectory::records);
  }

  /** Why decisions cannot be kept there; empty where they can. One request, or none. */
  Optional<String> reasonAgainst() throws IOException {
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    String note = noteOf(directory.toString(), today);
    if (notes.isPresent() && notes.get().exists(note)) {
      return Optional.empty();
    }
    Optional<String> reason = look(today);
    if (notes.isPresent() && reason.isEmpty()) {
      notes.get().putIfAbsent(note, new byte[0]);
    }
    return reason;
  }

  /** The name of a note that something was done on a day. */
  static String noteOf(String what, LocalDate day) {
    return CHECKS + "/" + UUID.nameUUIDFromBytes(what.getBytes(StandardCharsets.UTF_8)) + "." + day;
  }

  private Optional<String> look(LocalDate today) throws IOException {
    ObjectRecords records = new ObjectRecords(stores, directory);
    String probe = CHECKS + "/" + today;
    try {
      if (!records.putIfAbsent(probe, new byte[0])) {
        return Optional.empty();
      }
      if (records.putIfAbsent(probe, new byte[0])) {
        return Optional.of(
            "the store of "
                + directory
                + " overwrites objects in spite of If-None-Match, so that two processes could decide"
                + " differently.");
      }
    } catch (StoreException e) {
      return refusal(e, e);
    } catch (NotWrittenException e) {
      return refusal(e, e.getCause());
    }
    onceADay(records, today);
    return Optional.empty();
  }

  /** Throws the failure where that is no refusal. */
  private Optional<String> refusal(IOException failure, Throwable answer) throws IOException {
    boolean refused =
        answer instanceof StoreException it
            && switch (it.kind()) {
              case ACCESS_DENIED, REJECTED, NO_SUCH_BUCKET -> true;
              default -> false;
            };
    if (!refused) {
      throw failure;
    }
    return Optional.of(
        "objects cannot be written conditionally to " + directory + ": " + answer.getMessage());
  }

  private void onceADay(ObjectRecords records, LocalDate today) {
    try {
      new LifecycleCheck(stores).warn(destination);
      records.delete(
          records.list(CHECKS).stream()
              .map(RecordStore.Entry::name)
              .filter(name -> name.compareTo(CHECKS + "/" + today) < 0)
              .toList());
      purge(records, today.minusDays(WorkDirectory.KEPT_DAYS));
    } catch (IOException | RuntimeException e) {
      LOG.warn("Old records in {} could not be looked after; tomorrow they will be", directory, e);
    }
  }

  private void purge(ObjectRecords records, LocalDate day) throws IOException {
    Instant before = day.atStartOfDay(ZoneOffset.UTC).toInstant();
    List<String> destinations =
        records.list("").stream()
            .filter(entry -> entry.written().isBefore(before))
            .map(RecordStore.Entry::name)
            .filter(name -> name.contains("/log/") || name.contains("/parts/"))
            .map(name -> name.substring(0, name.indexOf('/')))
            .distinct()
            .toList();
    for (String destination : destinations) {
      int entries = CommitLog.inBucket(stores, new Path(directory, destination)).cut(before);
      LOG.info("{} entries of the commit log of {} are deleted", entries, destination);
    }
  }
}
