package io.zerorename.core.recordstore;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PutDeadlines;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Records as objects, for clusters that have no file system with an atomic rename. The first of
 * several writers wins by a conditional PUT. One request per document and operation, and one per
 * 1,000 names of a listing or a deletion.
 */
public final class ObjectRecords implements RecordStore {
  private static final int ATTEMPTS = 3;
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final ObjectStores stores;
  private final Path directory;
  private final Duration pause;

  public ObjectRecords(ObjectStores stores, Path directory) {
    this(stores, directory, PAUSE);
  }

  /**
   * @param pause before a document is written again, at most
   */
  public ObjectRecords(ObjectStores stores, Path directory, Duration pause) {
    this.stores = requireNonNull(stores, "stores");
    this.directory = requireNonNull(directory, "directory");
    this.pause = requireNonNull(pause, "pause");
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    return putIfAbsent(name, document, Optional.empty(), new AtomicBoolean());
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document, Instant asOf) throws IOException {
    AtomicBoolean unknown = new AtomicBoolean();
    try {
      return putIfAbsent(name, document, Optional.of(asOf.plus(PutDeadlines.SIGNATURE)), unknown);
    } catch (StoreException e) {
      throw unknown.get() ? e : new NotWrittenException(e);
    }
  }

  @Override
  public boolean putOnce(String name, byte[] document) throws IOException {
    return store()
        .putObjectIfAbsent(
            key(name), RepeatableBody.of(document), store().now().plus(PutDeadlines.SIGNATURE));
  }

  /**
   * @param unknown is set where one of the requests may have taken effect, or may yet
   */
  private boolean putIfAbsent(
      String name, byte[] document, Optional<Instant> deadline, AtomicBoolean unknown)
      throws IOException {
    RepeatableBody body = RepeatableBody.of(document);
    for (int attempt = 1; ; attempt++) {
      try {
        if (deadline.isPresent()) {
          store().putObjectIfAbsent(key(name), body, deadline.get());
        } else {
          store().putObjectIfAbsent(key(name), body, Map.of());
        }
        return true;
      } catch (StoreException e) {
        if (e.kind() == StoreException.Kind.PRECONDITION_FAILED) {
          return false;
        }
        // S3 answers 409 to two writers at the same instant, and asks both to try again; that is
        // safe also where an answer was lost, because the condition then fails.
        boolean ambiguous = e.kind() == StoreException.Kind.AMBIGUOUS;
        if (ambiguous) {
          unknown.set(true);
        }
        boolean again = ambiguous || e.kind() == StoreException.Kind.THROTTLED;
        if (!again || attempt == ATTEMPTS) {
          throw e;
        }
      }
      pause();
    }
  }

  private void pause() throws InterruptedIOException {
    Pauses.pause(
        Duration.ofMillis(ThreadLocalRandom.current().nextLong(pause.toMillis() + 1)),
        "Interrupted before a record was written again");
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
  public RemoteIterator<Entry> list(String name) throws IOException {
    String prefix = key("");
    return RemoteIterators.mappingRemoteIterator(
        store().listObjects(key(name.isEmpty() ? "" : name + "/")),
        object -> new Entry(object.key().substring(prefix.length()), object.lastModified()));
  }

  @Override
  public void delete(Collection<String> names) throws IOException {
    if (names.isEmpty()) {
      return;
    }
    Map<String, String> refused = store().deleteObjects(names.stream().map(this::key).toList());
    if (!refused.isEmpty()) {
      throw new IOException("ZR-1503: Cannot delete records in " + directory + ": " + refused);
    }
  }

  @Override
  public void deleteDrafts(Instant before) {}

  @Override
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
