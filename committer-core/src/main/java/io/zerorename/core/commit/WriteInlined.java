package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.Path;

/**
 * Stage: writes the small files of a plan, each in one request that the store refuses once it is
 * too late, and that never replaces an object.
 */
final class WriteInlined {
  private final ObjectStores stores;
  private final CommitSettings settings;
  private final PutWindow window;
  private final LongAdder made;
  private final AtomicBoolean uncertain = new AtomicBoolean();

  /**
   * @param made counts the files that are visible
   */
  WriteInlined(ObjectStores stores, CommitSettings settings, PutWindow window, LongAdder made) {
    this.stores = requireNonNull(stores, "stores");
    this.settings = requireNonNull(settings, "settings");
    this.window = requireNonNull(window, "window");
    this.made = requireNonNull(made, "made");
  }

  /**
   * Writes them.
   *
   * @param visible files that are in place already
   * @return those that are not there and may not be written any more, in order
   * @throws EndedElsewhereException where another process has ended the commit
   */
  List<Path> run(CommitPlan plan, PlaceSet visible, Workers workers) throws IOException {
    if (plan.inlinedCount() == 0) {
      return List.of();
    }
    // Also where all turn out to be there: it finds out whether the commit still stands.
    window.deadline();
    Queue<Path> lost = new ConcurrentLinkedQueue<>();
    // Neither may hide the other.
    Failures failures = new Failures();
    failures.of(
        () ->
            workers.forEach(
                plan.inlined(),
                plan.inlinedCount(),
                file -> {
                  if (visible.contains(file.destination().toString()) || write(file)) {
                    made.increment();
                  } else {
                    lost.add(file.destination());
                  }
                }));
    if (uncertain.get()) {
      failures.of(window::announce);
    }
    failures.throwAny();
    return lost.stream().sorted().toList();
  }

  /** Returns false where it is not there and may not be written. */
  private boolean write(InlineFile file) throws IOException {
    ObjectStore store = stores.forPath(file.destination());
    Map<String, String> metadata = Map.of(OutputFile.IDENTITY_METADATA, file.identity());
    // Most often the process that has decided has written it. A request that is refused for that
    // would leave doubt: the client may have sent it twice.
    if (window.isTakeover() && isSeen(store, file)) {
      return true;
    }
    Duration delay = settings.firstDelay();
    for (int attempt = 1; ; attempt++) {
      Optional<Instant> deadline = window.deadline();
      if (deadline.isEmpty()) {
        return isThere(store, file);
      }
      try {
        if (!store.putObjectIfAbsent(file.key(), file.body(), metadata, deadline.get())) {
          uncertain.set(true);
        }
        return true;
      } catch (StoreException e) {
        switch (e.kind()) {
          case PRECONDITION_FAILED -> {
            // An earlier copy of the request, or another process that carries the commit on.
            uncertain.set(true);
            if (isThere(store, file)) {
              return true;
            }
          }
          case EXPIRED -> window.expired(deadline.get());
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

  /** Where the store gives no answer, the file is written, which is repeated until it does. */
  private static boolean isSeen(ObjectStore store, InlineFile file) throws IOException {
    try {
      return isThere(store, file);
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.AMBIGUOUS) {
        throw e;
      }
      return false;
    }
  }

  /**
   * @throws IOException where another object is
   */
  private static boolean isThere(ObjectStore store, InlineFile file) throws IOException {
    Optional<ObjectHead> there = store.headObject(file.key());
    if (there.isPresent() && !file.isIdentityOf(there.get())) {
      throw new IOException(
          "another job has meanwhile written "
              + file.destination()
              + ", which is left as it is. If that object is not wanted, delete it and let the commit"
              + " be carried on again.");
    }
    return there.isPresent();
  }
}
