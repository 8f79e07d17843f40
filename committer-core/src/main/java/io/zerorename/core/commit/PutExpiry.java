package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.records.ObjectRecords;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
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
 * Tries out whether a store refuses a PUT whose deadline has passed, and keeps the result for the
 * day. Only then may small files be written after the decision: a request that comes too late must
 * not bring a file back that another job has meanwhile replaced.
 */
final class PutExpiry {
  private static final Logger LOG = LoggerFactory.getLogger(PutExpiry.class);
  private static final String YES = "yes";

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
    String key = ObjectKeys.prefixOf(commitDirectory) + note + "-" + UUID.randomUUID();
    Optional<String> reason =
        new PutDeadlines(stores.forPath(commitDirectory), key).reasonAgainst();
    reason.ifPresent(
        text ->
            LOG.warn(
                "Small files are not written in one request, but uploaded, because of the store of"
                    + " {}: {}",
                commitDirectory,
                text));
    return reason.isEmpty();
  }
}
