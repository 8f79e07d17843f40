package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PutDeadlines;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes small files of an entry, each in one request that the store refuses once the write lease
 * of the executor's entry is over, and that never replaces an object. May be used by several
 * threads.
 */
final class SmallFileWrites {
  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;
  private final LogEntry entry;
  private final Instant deadline;
  private final AtomicBoolean doubtful = new AtomicBoolean();

  /**
   * @param entry of the process that writes
   */
  SmallFileWrites(ObjectStores stores, CommitLog log, CommitSettings settings, LogEntry entry) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.entry = requireNonNull(entry, "entry");
    this.deadline = entry.leaseEnd().orElse(Instant.MIN);
  }

  /**
   * Whether a copy of a request may be under way: it was sent more than once, or its answer was
   * lost. Once the lease is over, none is.
   */
  boolean isDoubtful() throws IOException {
    return doubtful.get() && !log.now().isAfter(deadline.plus(PutDeadlines.SETTLED));
  }

  /** Waits until no copy of a request can be under way. */
  void awaitCertain(Pauses.Sleep sleep) throws IOException {
    while (isDoubtful()) {
      sleep.pause(
          Duration.between(log.now(), deadline.plus(PutDeadlines.SETTLED)).plusMillis(1),
          "Interrupted while requests were waited for that may be under way");
    }
  }

  /**
   * Reads a file's content, so that it can be written later whatever becomes of the records.
   *
   * @throws io.zerorename.core.log.BytesGoneException where it was deleted
   */
  void read(InlineFile file) throws IOException {
    try (InputStream content = file.body().open()) {
      content.read();
    }
  }

  /**
   * Writes a file, unless it is there.
   *
   * @throws LeaseExpiredException where it is too late
   */
  void write(InlineFile file) throws IOException {
    ObjectStore store = stores.forPath(file.destination());
    Map<String, String> metadata = Map.of(OutputFile.IDENTITY_METADATA, file.identity());
    Duration delay = settings.firstDelay();
    for (int attempt = 1; ; attempt++) {
      if (log.now().isAfter(deadline)) {
        throw new LeaseExpiredException(entry.number());
      }
      try {
        if (!store.putObjectIfAbsent(file.key(), file.body(), metadata, deadline)) {
          doubtful.set(true);
        }
        return;
      } catch (StoreException e) {
        switch (e.kind()) {
          case PRECONDITION_FAILED -> {
            // An earlier copy of the request, or another process that executes the same.
            doubtful.set(true);
            if (CommittedFiles.isThereAlone(file, stores)) {
              return;
            }
          }
          case EXPIRED -> {
            // The store's clock is ahead of what was known of it.
            doubtful.set(true);
            throw new LeaseExpiredException(entry.number());
          }
          case AMBIGUOUS -> doubtful.set(true);
          default -> throw e;
        }
        if (attempt == settings.attempts()) {
          throw e;
        }
      }
      Pauses.pause(delay, "Interrupted before a small file was written again");
      delay = delay.multipliedBy(2);
    }
  }
}
