package io.zerorename.core.job;

import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of a bucket that lacks a lifecycle rule for incomplete uploads, or has one that endangers
 * running jobs.
 */
record LifecycleCheck(ObjectStores stores) {
  private static final Logger LOG = LoggerFactory.getLogger(LifecycleCheck.class);

  /** Shorter rules can remove the uploads of a job that runs over a weekend. */
  private static final Duration SHORT = Duration.ofDays(3);

  /**
   * Checks the rules of a location, once a day for each bucket, also where that fails: a bucket
   * that cannot be reached must not keep every job waiting. One request, or none.
   *
   * @param notes where it is noted that it was done
   */
  void warnOnceADay(Path path, RecordStore notes) {
    String note =
        CommitDirectoryCheck.noteOf(
            "lifecycle of " + ObjectKeys.bucketOf(path), LocalDate.now(ZoneOffset.UTC));
    try {
      if (notes.putIfAbsent(note, new byte[0])) {
        warn(path);
      }
    } catch (IOException | RuntimeException e) {
      LOG.info("The lifecycle rules of the bucket of {} cannot be seen today", path, e);
    }
  }

  /**
   * Checks the rules of a location. One request.
   *
   * @throws IOException where the store does not answer
   */
  void warn(Path destination) throws IOException {
    try {
      Optional<Duration> expiry =
          stores.forPath(destination).uploadsExpireAfter(ObjectKeys.prefixOf(destination));
      if (expiry.isEmpty()) {
        LOG.warn(
            "ZR-3110: The bucket of {} has no lifecycle rule that removes incomplete multipart"
                + " uploads. Those of killed processes, of this committer or any other, cost"
                + " storage for ever. Add one of 7 days.",
            destination);
      } else if (expiry.get().compareTo(SHORT) < 0) {
        LOG.warn(
            "ZR-3111: A lifecycle rule of the bucket of {} removes incomplete multipart uploads"
                + " after {} days. It would take the files of a job that runs longer, or whose"
                + " commit is interrupted and not completed by then. Set it to 7 days.",
            destination,
            expiry.get().toDays());
      }
    } catch (StoreException e) {
      switch (e.kind()) {
        case ACCESS_DENIED, REJECTED ->
            LOG.info(
                "Whether the bucket of {} has a lifecycle rule for incomplete multipart uploads"
                    + " cannot be seen: {}",
                destination,
                e.getMessage());
        default -> throw e;
      }
    }
  }
}
