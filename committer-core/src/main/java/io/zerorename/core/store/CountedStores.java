package io.zerorename.core.store;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Counts the requests that are sent through it, whatever their outcome. Requests that a store
 * repeats on its own are one here; a page of a listing counts when its first entry is asked for.
 */
public final class CountedStores implements ObjectStores {
  private final ObjectStores stores;
  private final RequestCounts counts = new RequestCounts();

  public CountedStores(ObjectStores stores) {
    this.stores = requireNonNull(stores, "stores");
  }

  public RequestCounts counts() {
    return counts;
  }

  @Override
  public ObjectStore forPath(Path path) throws IOException {
    return new CountedStore(stores.forPath(path), counts);
  }

  private record CountedStore(ObjectStore store, RequestCounts counts) implements ObjectStore {
    @Override
    public String bucket() {
      return store.bucket();
    }

    @Override
    public String createUpload(String key, Map<String, String> metadata) throws IOException {
      counts.add(RequestType.CREATE_UPLOAD);
      return store.createUpload(key, metadata);
    }

    @Override
    public UploadedPart uploadPart(String key, String uploadId, int partNumber, PartBody body)
        throws IOException {
      counts.add(RequestType.UPLOAD_PART);
      return store.uploadPart(key, uploadId, partNumber, body);
    }

    @Override
    public String completeUpload(String key, String uploadId, List<UploadedPart> parts)
        throws IOException {
      counts.add(RequestType.COMPLETE_UPLOAD);
      return store.completeUpload(key, uploadId, parts);
    }

    @Override
    public void abortUpload(String key, String uploadId) throws IOException {
      counts.add(RequestType.ABORT_UPLOAD);
      store.abortUpload(key, uploadId);
    }

    @Override
    public Iterator<PendingUploadSummary> listUploads(String prefix) throws IOException {
      return new CountedPages<>(store.listUploads(prefix), RequestType.LIST_UPLOADS, counts);
    }

    @Override
    public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
      counts.add(RequestType.LIST_PARTS);
      List<UploadedPart> parts = store.listParts(key, uploadId);
      for (int i = PAGE_SIZE; i < parts.size(); i += PAGE_SIZE) {
        counts.add(RequestType.LIST_PARTS);
      }
      return parts;
    }

    @Override
    public Optional<Duration> uploadsExpireAfter(String prefix) throws IOException {
      counts.add(RequestType.GET_LIFECYCLE);
      return store.uploadsExpireAfter(prefix);
    }

    @Override
    public String putObject(String key, PartBody body, Map<String, String> metadata)
        throws IOException {
      counts.add(RequestType.PUT);
      return store.putObject(key, body, metadata);
    }

    @Override
    public String putObjectIfAbsent(String key, PartBody body, Map<String, String> metadata)
        throws IOException {
      counts.add(RequestType.PUT);
      return store.putObjectIfAbsent(key, body, metadata);
    }

    @Override
    public boolean putObjectIfAbsent(
        String key, PartBody body, Map<String, String> metadata, Instant deadline)
        throws IOException {
      counts.add(RequestType.PUT);
      return store.putObjectIfAbsent(key, body, metadata, deadline);
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
      counts.add(RequestType.GET);
      return store.getObject(key);
    }

    @Override
    public Optional<ObjectHead> headObject(String key) throws IOException {
      counts.add(RequestType.HEAD);
      return store.headObject(key);
    }

    @Override
    public Iterator<ObjectSummary> listObjects(String prefix) throws IOException {
      return new CountedPages<>(store.listObjects(prefix), RequestType.LIST, counts);
    }

    @Override
    public Map<String, String> deleteObjects(Collection<String> keys) throws IOException {
      for (int i = 0; i < keys.size(); i += PAGE_SIZE) {
        counts.add(RequestType.BULK_DELETE);
      }
      return store.deleteObjects(keys);
    }

    @Override
    public long throttledAnswers() {
      return store.throttledAnswers();
    }
  }

  private static final class CountedPages<T> implements Iterator<T> {
    private final Iterator<T> entries;
    private final RequestType type;
    private final RequestCounts counts;
    private boolean asked;
    private long returned;

    CountedPages(Iterator<T> entries, RequestType type, RequestCounts counts) {
      this.entries = entries;
      this.type = type;
      this.counts = counts;
    }

    @Override
    public boolean hasNext() {
      countFirstPage();
      return entries.hasNext();
    }

    @Override
    public T next() {
      countFirstPage();
      T entry = entries.next();
      if (returned > 0 && returned % ObjectStore.PAGE_SIZE == 0) {
        counts.add(type);
      }
      returned++;
      return entry;
    }

    private void countFirstPage() {
      if (!asked) {
        asked = true;
        counts.add(type);
      }
    }
  }
}
