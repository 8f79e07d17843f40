package io.zerorename.core.job;

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
 *
 * @param destination whose decisions are to be kept in the directory
 * @param key the setting by which another directory can be chosen
 * @param endpoint of the directory's bucket
 */
public record CommitDirectoryCheck(
    ObjectStores stores, Path directory, Path destination, String key, String endpoint) {
  public static final String CHECKS = "checks";

  /**
   * One request or none, and one more for the first job of a day.
   *
   * @param notes where a good result is noted, to spare the next jobs of the day the request
   * @return what the check has left to this job, if it was the first one of the day
   * @throws IOException where decisions cannot be kept there
   */
  Optional<DailyMaintenance> run(Optional<RecordStore> notes) throws IOException {
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    String note = noteOf(directory + " at " + endpoint, today);
    if (notes.isPresent() && notes.get().get(note).isPresent()) {
      return Optional.empty();
    }
    boolean first = writesAProbe(today);
    if (notes.isPresent()) {
      notes.get().putIfAbsent(note, new byte[0]);
    }
    return first ? Optional.of(new DailyMaintenance(directory)) : Optional.empty();
  }

  /** The name of a note that something was done on a day. */
  static String noteOf(String what, LocalDate day) {
    return nameOf(UUID.nameUUIDFromBytes(what.getBytes(StandardCharsets.UTF_8)) + "." + day);
  }

  /** The name of a note or a probe, which readers take for no data, as with records of the log. */
  public static String nameOf(String check) {
    return CHECKS + "/_" + check;
  }

  /** Whether this is the first one of the day. */
  private boolean writesAProbe(LocalDate today) throws IOException {
    ObjectRecords records = new ObjectRecords(stores, directory);
    String probe = nameOf(today.toString());
    try {
      if (!records.putIfAbsent(probe, new byte[0])) {
        return false;
      }
      if (!records.putIfAbsent(probe, new byte[0])) {
        return true;
      }
    } catch (StoreException e) {
      throw switch (e.kind()) {
        case ACCESS_DENIED, REJECTED, NO_SUCH_BUCKET ->
            refusal("objects cannot be written conditionally there: " + e.getMessage(), e);
        default -> e;
      };
    }
    throw refusal(
        "the store overwrites objects in spite of If-None-Match, so that two processes could"
            + " decide differently",
        null);
  }

  private IOException refusal(String reason, Throwable cause) {
    return new IOException(
        ("ZR-3103: A job that writes to %s keeps its commit log in %s, and that needs conditional"
                + " PUTs: %s. Grant these credentials the right, or set %s to a directory on an S3"
                + " store that has them.")
            .formatted(destination, directory, reason, key),
        cause);
  }
}
