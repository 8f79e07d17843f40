package io.zerorename.core.store;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Counts the requests that are sent through it, whatever their outcome. Requests that a store
 * repeats on its own are one here; a page of a listing counts when its first entry is read.
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

  private static final class CountedStore extends ForwardingStore {
    private final RequestCounts counts;

    CountedStore(ObjectStore store, RequestCounts counts) {
      super(store);
      this.counts = counts;
    }

    @Override
    protected <T> T send(RequestType type, Request<T> request) throws IOException {
      counts.add(type);
      return request.send();
    }

    @Override
    public RemoteIterator<PendingUploadSummary> listUploads(String prefix) throws IOException {
      return new CountedPages<>(store.listUploads(prefix), RequestType.LIST_UPLOADS, counts);
    }

    @Override
    public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
      List<UploadedPart> parts = super.listParts(key, uploadId);
      for (int i = PAGE_SIZE; i < parts.size(); i += PAGE_SIZE) {
        counts.add(RequestType.LIST_PARTS);
      }
      return parts;
    }

    @Override
    public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
      return new CountedPages<>(store.listObjects(prefix), RequestType.LIST, counts);
    }

    @Override
    public Map<String, Refusal> deleteObjects(Collection<String> keys) throws IOException {
      count(keys);
      return store.deleteObjects(keys);
    }

    @Override
    public Map<String, Refusal> deleteObjects(Collection<String> keys, Condition fresh)
        throws IOException {
      count(keys);
      return store.deleteObjects(keys, fresh);
    }

    private void count(Collection<String> keys) {
      for (int i = 0; i < keys.size(); i += PAGE_SIZE) {
        counts.add(RequestType.BULK_DELETE);
      }
    }
  }

  private static final class CountedPages<T> implements RemoteIterator<T> {
    private final RemoteIterator<T> entries;
    private final RequestType type;
    private final RequestCounts counts;
    private boolean asked;
    private long returned;

    CountedPages(RemoteIterator<T> entries, RequestType type, RequestCounts counts) {
      this.entries = entries;
      this.type = type;
      this.counts = counts;
    }

    @Override
    public boolean hasNext() throws IOException {
      countFirstPage();
      return entries.hasNext();
    }

    @Override
    public T next() throws IOException {
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
