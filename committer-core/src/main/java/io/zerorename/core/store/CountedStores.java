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
 * repeats on its own are one here; the first page of a listing counts when it is asked for, each
 * other one when its first entry is read.
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
      return counted(store.listUploads(prefix), RequestType.LIST_UPLOADS);
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
      return counted(store.listObjects(prefix), RequestType.LIST);
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

    private <T> RemoteIterator<T> counted(RemoteIterator<T> entries, RequestType type) {
      counts.add(type);
      return new RemoteIterator<>() {
        private long returned;

        @Override
        public boolean hasNext() throws IOException {
          return entries.hasNext();
        }

        @Override
        public T next() throws IOException {
          T entry = entries.next();
          if (returned > 0 && returned % PAGE_SIZE == 0) {
            counts.add(type);
          }
          returned++;
          return entry;
        }
      };
    }

    private void count(Collection<String> keys) {
      for (int i = 0; i < keys.size(); i += PAGE_SIZE) {
        counts.add(RequestType.BULK_DELETE);
      }
    }
  }
}
