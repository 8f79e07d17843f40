package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Records as objects, for clusters that have no file system with an atomic rename. The first of
 * several writers wins by a conditional PUT. One request per document and operation, and one per
 * 1,000 names of a listing or a deletion.
 */
final class ObjectRecords implements RecordStore {
  private final ObjectStores stores;
  private final Path directory;

  ObjectRecords(ObjectStores stores, Path directory) {
    this.stores = requireNonNull(stores, "stores");
    this.directory = requireNonNull(directory, "directory");
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    try {
      store().putObjectIfAbsent(key(name), PartBody.of(document), Map.of());
      return true;
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.PRECONDITION_FAILED) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public Optional<byte[]> get(String name) throws IOException {
    try {
      return Optional.of(store().getObject(key(name)));
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public boolean exists(String name) throws IOException {
    return store().headObject(key(name)).isPresent();
  }

  @Override
  public List<String> list(String name) throws IOException {
    String prefix = key("");
    List<String> names = new ArrayList<>();
    try {
      Iterator<ObjectSummary> objects = store().listObjects(key(name + "/"));
      while (objects.hasNext()) {
        names.add(objects.next().key().substring(prefix.length()));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return names;
  }

  @Override
  public void delete(Collection<String> names) throws IOException {
    Map<String, String> refused = store().deleteObjects(names.stream().map(this::key).toList());
    if (!refused.isEmpty()) {
      throw new IOException("Cannot delete records of a job that has ended: " + refused);
    }
  }

  @Override
  public String locate(String name) {
    return new Path(directory, name).toString();
  }

  private ObjectStore store() throws IOException {
    return stores.forPath(directory);
  }

  private String key(String name) {
    return ObjectKeys.prefixOf(directory) + name;
  }
}
