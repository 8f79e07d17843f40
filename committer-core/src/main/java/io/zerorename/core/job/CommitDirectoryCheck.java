package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.recordstore.NotWrittenException;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.Path;

/**
 * Checks whether a store can keep decisions. A job waits for that alone: what else is done for a
 * commit directory once a day is {@link DailyMaintenance}.
 */
public final class CommitDirectoryCheck {
  public static final String CHECKS = "checks";

  private final ObjectStores stores;
  private final Path directory;
  private final Optional<RecordStore> notes;
  private Optional<DailyMaintenance> due = Optional.empty();

  /**
   * @param work where a good result is noted, to spare the next jobs of the day the request
   */
  CommitDirectoryCheck(ObjectStores stores, Path directory, Optional<WorkDirectory> work) {
    this.stores = requireNonNull(stores, "stores");
    this.directory = requireNonNull(directory, "directory");
    this.notes = work.map(WorkDirectory::records);
  }

  /**
   * Why decisions cannot be kept there; empty where they can. One request or none, and one more for
   * the first job of a day.
   */
  Optional<String> reasonAgainst() throws IOException {
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    String note = noteOf(directory.toString(), today);
    if (notes.isPresent() && notes.get().get(note).isPresent()) {
      return Optional.empty();
    }
    Optional<String> reason = check(today);
    if (notes.isPresent() && reason.isEmpty()) {
      notes.get().putIfAbsent(note, new byte[0]);
    }
    return reason;
  }

  /** What the check has left to this job, if it was the first one of the day. */
  Optional<DailyMaintenance> due() {
    return due;
  }

  /** The name of a note that something was done on a day. */
  static String noteOf(String what, LocalDate day) {
    return nameOf(UUID.nameUUIDFromBytes(what.getBytes(StandardCharsets.UTF_8)) + "." + day);
  }

  /** The name of a note or a probe, which readers take for no data, as with records of the log. */
  public static String nameOf(String check) {
    return CHECKS + "/_" + check;
  }

  private Optional<String> check(LocalDate today) throws IOException {
    ObjectRecords records = new ObjectRecords(stores, directory);
    String probe = nameOf(today.toString());
    try {
      if (!records.putIfAbsent(probe, new byte[0])) {
        return Optional.empty();
      }
      if (records.putIfAbsent(probe, new byte[0])) {
        return Optional.of(
            ("the store of %s overwrites objects in spite of If-None-Match, so that two processes"
                    + " could decide differently.")
                .formatted(directory));
      }
    } catch (StoreException e) {
      return refusal(e, e);
    } catch (NotWrittenException e) {
      return refusal(e, e.getCause());
    }
    due = Optional.of(new DailyMaintenance(directory));
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
        "ZR-3102: objects cannot be written conditionally to %s: %s"
            .formatted(directory, answer.getMessage()));
  }
}
