package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Stage: writes the small files of a plan, each in one request that the store refuses once it is
 * too late, and that never replaces an object.
 */
final class WriteInlined {
  private final ObjectStores stores;
  private final CommitSettings settings;
  private final PutWindow window;
  private final AtomicBoolean uncertain = new AtomicBoolean();

  WriteInlined(ObjectStores stores, CommitSettings settings, PutWindow window) {
    this.stores = requireNonNull(stores, "stores");
    this.settings = requireNonNull(settings, "settings");
    this.window = requireNonNull(window, "window");
  }

  /**
   * Writes them.
   *
   * @param visible files that are in place already
   * @throws EndedElsewhereException where another process has ended the commit
   */
  void run(CommitPlan plan, PlaceSet visible, Workers workers) throws IOException {
    if (plan.inlinedCount() == 0) {
      return;
    }
    // Also where all turn out to be there: whoever wrote them may have sent requests twice.
    window.deadline();
    try {
      workers.forEach(
          plan.inlined(),
          file -> {
            if (!visible.contains(file.destination().toString())) {
              write(file);
            }
          });
    } finally {
      if (uncertain.get()) {
        window.announce();
      }
    }
  }

  private void write(InlineFile file) throws IOException {
    ObjectStore store = stores.forPath(file.destination());
    Map<String, String> metadata = Map.of(OutputFile.IDENTITY_METADATA, file.identity());
    Duration delay = settings.firstDelay();
    for (int attempt = 1; ; attempt++) {
      Instant deadline = window.deadline();
      try {
        if (!store.putObjectIfAbsent(file.key(), file.body(), metadata, deadline)) {
          uncertain.set(true);
        }
        return;
      } catch (StoreException e) {
        switch (e.kind()) {
          case PRECONDITION_FAILED -> {
            // An earlier copy of the request, or another process that carries the commit on.
            uncertain.set(true);
            refuseOther(store, file, e);
            return;
          }
          case EXPIRED -> window.expired(deadline);
          case AMBIGUOUS -> uncertain.set(true);
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

  private static void refuseOther(ObjectStore store, InlineFile file, StoreException cause)
      throws IOException {
    if (store.headObject(file.key()).filter(file::isIdentityOf).isEmpty()) {
      throw new IOException(
          "another job has meanwhile written "
              + file.destination()
              + ", which is left as it is. If that object is not wanted, delete it and let the commit"
              + " be carried on again.",
          cause);
    }
  }
}
