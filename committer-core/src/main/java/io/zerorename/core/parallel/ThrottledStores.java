package io.zerorename.core.parallel;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ForwardingStore;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/**
 * Stores whose requests keep the {@linkplain RetryPolicy pace} that each bucket takes. Of all that
 * share one of these, no more are in flight per bucket than there are threads.
 *
 * <p>Two kinds of requests are neither held up nor sent again: bulk deletes, because what they
 * delete was compared a moment before, and listings, of which there are few.
 */
public final class ThrottledStores implements ObjectStores {
  private final ObjectStores stores;
  private final int threads;
  private final Duration firstDelay;
  private final Map<String, RetryPolicy> policies = new ConcurrentHashMap<>();

  /**
   * @param threads requests in flight at most, per bucket
   * @param firstDelay before a throttled request is sent again; each further one waits twice as
   *     long
   */
  public ThrottledStores(ObjectStores stores, int threads, Duration firstDelay) {
    this.stores = requireNonNull(stores, "stores");
    this.threads = threads;
    this.firstDelay = requireNonNull(firstDelay, "firstDelay");
  }

  @Override
  public ObjectStore forPath(Path path) throws IOException {
    ObjectStore store = stores.forPath(path);
    return new ThrottledStore(
        store, policies.computeIfAbsent(store.bucket(), bucket -> newPolicy()));
  }

  private RetryPolicy newPolicy() {
    return new RetryPolicy(new ConcurrencyLimit(threads), firstDelay, RetryPolicy.Clock.SYSTEM);
  }

  private static final class ThrottledStore extends ForwardingStore {
    private final RetryPolicy policy;

    ThrottledStore(ObjectStore store, RetryPolicy policy) {
      super(store);
      this.policy = policy;
    }

    @Override
    protected <T> T send(RequestType type, Request<T> request) throws IOException {
      return policy.send(store, request::send);
    }
  }
}
