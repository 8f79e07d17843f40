package io.zerorename.core.recordstore;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Records as objects: those of a commit log, and of jobs on clusters that have no file system with
 * an atomic rename. The first of several writers wins by a conditional PUT. One request per
 * document and operation, and one per 1,000 names of a listing or a deletion.
 */
public record ObjectRecords(ObjectStores stores, Path directory) implements RecordStore {

  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    return write(name, document).isPresent();
  }

  /**
   * The same as {@link #putIfAbsent}.
   *
   * @return the ETag of the object, as the store has it; empty where one of that name is there
   */
  public Optional<String> write(String name, byte[] document) throws IOException {
    try {
      String etag = store().putObjectIfAbsent(key(name), RepeatableBody.of(document), Map.of());
      return Optional.of(etag == null ? "" : etag);
    } catch (StoreException e) {
      if (e.lastAnswer() == StoreException.Kind.PRECONDITION_FAILED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public Optional<byte[]> get(String name) throws IOException {
    return StoreException.orElse(
        StoreException.Kind.NOT_FOUND,
        Optional.empty(),
        () -> Optional.of(store().getObject(key(name))));
  }

  @Override
  public List<String> namesIn(String directory) throws IOException {
    String prefix = directory + "/";
    return RemoteIterators.toList(list(prefix)).stream()
        .map(document -> document.key().substring(prefix.length()))
        .toList();
  }

  /**
   * The documents whose names begin so, in the order of their names, which stand for keys. One
   * request per 1,000 of them, sent when the first of them is needed.
   */
  public RemoteIterator<ObjectSummary> list(String prefix) throws IOException {
    int directory = key("").length();
    return RemoteIterators.mappingRemoteIterator(
        store().listObjects(key(prefix)),
        object ->
            new ObjectSummary(
                object.key().substring(directory),
                object.size(),
                object.etag(),
                object.lastModified()));
  }

  @Override
  public void delete(Collection<String> names) throws IOException {
    if (names.isEmpty()) {
      return;
    }
    Map<String, Refusal> refused = store().deleteObjects(names.stream().map(this::key).toList());
    if (!refused.isEmpty()) {
      throw new IOException("ZR-1503: Cannot delete records in " + directory + ": " + refused);
    }
  }

  /** The clock of the times in a listing. */
  public Instant now() throws IOException {
    return store().now();
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
