package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private record PacedStore(ObjectStore store, RequestPace pace) implements ObjectStore {
    @Override
    public String bucket() {
      return store.bucket();
    }

    @Override
    public String createUpload(String key, Map<String, String> metadata) throws IOException {
      return pace.send(store, () -> store.createUpload(key, metadata));
    }

    @Override
    public UploadedPart uploadPart(String key, String uploadId, int partNumber, PartBody body)
        throws IOException {
      return pace.send(store, () -> store.uploadPart(key, uploadId, partNumber, body));
    }

    @Override
    public String completeUpload(String key, String uploadId, List<UploadedPart> parts)
        throws IOException {
      return pace.send(store, () -> store.completeUpload(key, uploadId, parts));
    }

    @Override
    public void abortUpload(String key, String uploadId) throws IOException {
      pace.send(
          store,
          () -> {
            store.abortUpload(key, uploadId);
            return null;
          });
    }

    @Override
    public Iterator<PendingUploadSummary> listUploads(String prefix) throws IOException {
      return store.listUploads(prefix);
    }

    @Override
    public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
      return pace.send(store, () -> store.listParts(key, uploadId));
    }

    @Override
    public Optional<Duration> uploadsExpireAfter(String prefix) throws IOException {
      return pace.send(store, () -> store.uploadsExpireAfter(prefix));
    }

    @Override
    public String putObject(String key, PartBody body, Map<String, String> metadata)
        throws IOException {
      return pace.send(store, () -> store.putObject(key, body, metadata));
    }

    @Override
    public String putObjectIfAbsent(String key, PartBody body, Map<String, String> metadata)
        throws IOException {
      return pace.send(store, () -> store.putObjectIfAbsent(key, body, metadata));
    }

    @Override
    public boolean putObjectIfAbsent(
        String key, PartBody body, Map<String, String> metadata, Instant deadline)
        throws IOException {
      return pace.send(store, () -> store.putObjectIfAbsent(key, body, metadata, deadline));
    }

    @Override
    public boolean datesSignatures() {
      return store.datesSignatures();
    }

    @Override
    public Instant now() {
      return store.now();
    }

    @Override
    public byte[] getObject(String key) throws IOException {
      return pace.send(store, () -> store.getObject(key));
    }

    @Override
    public Optional<ObjectHead> headObject(String key) throws IOException {
      return pace.send(store, () -> store.headObject(key));
    }

    @Override
    public Iterator<ObjectSummary> listObjects(String prefix) throws IOException {
      return store.listObjects(prefix);
    }

    @Override
    public Map<String, String> deleteObjects(Collection<String> keys) throws IOException {
      return store.deleteObjects(keys);
    }

    @Override
    public long throttledAnswers() {
      return store.throttledAnswers();
    }
  }
}
