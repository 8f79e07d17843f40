package io.zerorename.testing;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.parallel.Clock;
import io.zerorename.core.parallel.RetryingStore;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Path;

/** Stores whose requests are repeated as those of S3A are, without waiting. */
public final class RetriedStores implements ObjectStores {
  private static final Duration BUDGET = Duration.ofMinutes(2);

  /** Pauses take no time, and the clock shows that they did. */
  private static final class NoWait implements Clock {
    private final AtomicReference<Duration> now = new AtomicReference<>(Duration.ZERO);

    @Override
    public Duration now() {
      return now.get();
    }

    @Override
    public void pause(Duration duration, String interrupted) throws InterruptedIOException {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException(interrupted);
      }
      now.accumulateAndGet(duration, Duration::plus);
    }
  }

  private final ObjectStores stores;
  private final Map<ObjectStore, ObjectStore> retried = new ConcurrentHashMap<>();

  public RetriedStores(ObjectStores stores) {
    this.stores = requireNonNull(stores, "stores");
  }

  @Override
  public ObjectStore forPath(Path path) throws IOException {
    return retried.computeIfAbsent(
        stores.forPath(path), store -> new RetryingStore(store, BUDGET, new NoWait()));
  }
}
