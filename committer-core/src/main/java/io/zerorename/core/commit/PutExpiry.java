package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries out whether a store refuses a PUT whose deadline has passed, and keeps the result for the
 * day. Only then may small files be written after the decision: a request that comes too late must
 * not bring a file back that another job has meanwhile replaced.
 */
final class PutExpiry {
  private static final Logger LOG = LoggerFactory.getLogger(PutExpiry.class);
  private static final String YES = "yes";

  /** How exactly a store has to keep a deadline. */
  static final Duration ACCURACY = Duration.ofSeconds(30);

  private final ObjectStores stores;
  private final Path commitDirectory;

  /**
   * @param commitDirectory whose bucket is tried
   */
  PutExpiry(ObjectStores stores, Path commitDirectory) {
    this.stores = requireNonNull(stores, "stores");
    this.commitDirectory = requireNonNull(commitDirectory, "commitDirectory");
  }

  /** Whether a path is on the store that is tried. */
  boolean concerns(Path destination) {
    return commitDirectory.toUri().getAuthority().equals(destination.toUri().getAuthority());
  }

  /**
   * One request, and once a day four, of which the SDK repeats the late one as often as
   * fs.s3a.attempts.maximum says.
   */
  boolean isKept() throws IOException {
    if (!stores.forPath(commitDirectory).datesSignatures()) {
      return false;
    }
    ObjectRecords records = new ObjectRecords(stores, commitDirectory);
    String note =
        CommitDirectoryCheck.CHECKS + "/" + LocalDate.now(ZoneOffset.UTC) + ".put-deadlines";
    Optional<byte[]> known = records.get(note);
    if (known.isPresent()) {
      return YES.equals(new String(known.get(), StandardCharsets.UTF_8));
    }
    boolean kept = tryOut(note);
    records.putIfAbsent(note, (kept ? YES : "no").getBytes(StandardCharsets.UTF_8));
    return kept;
  }

  private boolean tryOut(String note) throws IOException {
    ObjectStore store = stores.forPath(commitDirectory);
    String probe = ObjectKeys.prefixOf(commitDirectory) + note + "-" + UUID.randomUUID();
    try {
      put(store, probe + "-early", store.now().plus(PutWindow.LENGTH));
    } catch (StoreException e) {
      return switch (e.kind()) {
        case EXPIRED, ACCESS_DENIED, REJECTED -> {
          LOG.warn(
              "Small files are not written in one request, but uploaded: {} takes no PUT with a"
                  + " deadline.",
              commitDirectory,
              e);
          yield false;
        }
        default -> throw e;
      };
    }
    try {
      put(store, probe + "-late", store.now().minus(ACCURACY));
    } catch (StoreException e) {
      switch (e.kind()) {
        case EXPIRED -> {
          return true;
        }
        case ACCESS_DENIED, REJECTED -> {
          LOG.warn(
              "Small files are not written in one request, but uploaded: {} refuses a PUT that comes"
                  + " too late for another reason.",
              commitDirectory,
              e);
          return false;
        }
        default -> throw e;
      }
    }
    LOG.warn(
        "Small files are not written in one request, but uploaded: the store of {} takes PUTs whose"
            + " signature is too old, so that one that comes late could bring a file back.",
        commitDirectory);
    return false;
  }

  private static void put(ObjectStore store, String key, Instant deadline) throws IOException {
    store.putObjectIfAbsent(key, PartBody.of(new byte[0]), Map.of(), deadline);
  }
}
