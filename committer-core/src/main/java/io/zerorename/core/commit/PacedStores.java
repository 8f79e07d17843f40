package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ForwardingStore;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/**
 * Stores whose requests keep the {@linkplain RequestPace pace} that each bucket takes. Of all that
 * share one of these, as many are in flight as the settings have threads, or fewer.
 *
 * <p>Two kinds of requests are neither held up nor sent again: bulk deletes, because what they
 * delete was looked at a moment before, and listings, of which there are few.
 */
final class PacedStores implements ObjectStores {
  private final ObjectStores stores;
  private final CommitSettings settings;
  private final Map<String, RequestPace> paces = new ConcurrentHashMap<>();

  PacedStores(ObjectStores stores, CommitSettings settings) {
    this.stores = requireNonNull(stores, "stores");
    this.settings = requireNonNull(settings, "settings");
  }

  @Override
  public ObjectStore forPath(Path path) throws IOException {
    ObjectStore store = stores.forPath(path);
    return new PacedStore(store, paces.computeIfAbsent(store.bucket(), bucket -> newPace()));
  }

  private RequestPace newPace() {
    return new RequestPace(
        new RequestLimit(settings.threads()), settings.firstDelay(), RequestPace.Clock.SYSTEM);
  }

  private static final class PacedStore extends ForwardingStore {
    private final RequestPace pace;

    PacedStore(ObjectStore store, RequestPace pace) {
      super(store);
      this.pace = pace;
    }

    @Override
    protected <T> T send(RequestType type, Request<T> request) throws IOException {
      return pace.send(store, request::send);
    }
  }
}
