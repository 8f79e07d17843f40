package io.zerorename.core.commit;

import io.zerorename.core.commit.Calls.Call;
import io.zerorename.core.commit.Calls.Effect;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Pages;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/** A bucket, and what others there are, as one simulated process sees them. */
final class SimulatedStore implements ObjectStore, ObjectStores {
  private final InMemoryObjectStore store;
  private final Calls calls;
  private final Optional<SimulatedStore> other;

  SimulatedStore(InMemoryObjectStore store, InMemoryObjectStore other, Calls calls) {
    this(store, calls, Optional.of(new SimulatedStore(other, calls, Optional.empty())));
  }

  private SimulatedStore(InMemoryObjectStore store, Calls calls, Optional<SimulatedStore> other) {
    this.store = store;
    this.calls = calls;
    this.other = other;
  }

  @Override
  public ObjectStore forPath(Path path) throws IOException {
    if (other.isPresent() && ObjectKeys.bucketOf(path).equals(other.get().bucket())) {
      return other.get();
    }
    store.forPath(path);
    return this;
  }

  @Override
  public String bucket() {
    return store.bucket();
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata) throws IOException {
    return change(RequestType.CREATE_UPLOAD, key, () -> store.createUpload(key, metadata));
  }

  @Override
  public UploadedPart uploadPart(String key, String uploadId, int partNumber, RepeatableBody body)
      throws IOException {
    RepeatableBody copy = copy(body);
    return change(
        RequestType.UPLOAD_PART, key, () -> store.uploadPart(key, uploadId, partNumber, copy));
  }

  @Override
  public String completeUpload(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    return change(
        RequestType.COMPLETE_UPLOAD, key, () -> store.completeUpload(key, uploadId, parts));
  }

  @Override
  public String completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    return change(
        RequestType.COMPLETE_UPLOAD, key, () -> store.completeUploadIfAbsent(key, uploadId, parts));
  }

  @Override
  public void abortUpload(String key, String uploadId) throws IOException {
    change(
        RequestType.ABORT_UPLOAD,
        key,
        () -> {
          store.abortUpload(key, uploadId);
          return null;
        });
  }

  @Override
  public RemoteIterator<PendingUploadSummary> listUploads(String prefix) {
    return pages(RequestType.LIST_UPLOADS, prefix, () -> store.listUploads(prefix));
  }

  @Override
  public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
    return read(RequestType.LIST_PARTS, key, () -> store.listParts(key, uploadId));
  }

  @Override
  public String putObject(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    RepeatableBody copy = copy(body);
    return change(RequestType.PUT, key, () -> store.putObject(key, copy, metadata));
  }

  @Override
  public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    RepeatableBody copy = copy(body);
    return change(RequestType.PUT, key, () -> store.putObjectIfAbsent(key, copy, metadata));
  }

  @Override
  public Instant now() {
    return store.now();
  }

  @Override
  public byte[] getObject(String key) throws IOException {
    return read(RequestType.GET, key, () -> store.getObject(key));
  }

  @Override
  public Optional<ObjectHead> headObject(String key) throws IOException {
    return read(RequestType.HEAD, key, () -> store.headObject(key));
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) {
    return pages(RequestType.LIST, prefix, () -> store.listObjects(prefix));
  }

  @Override
  public Map<String, Refusal> deleteObjects(Collection<String> keys) throws IOException {
    List<String> copy = List.copyOf(keys);
    return change(RequestType.BULK_DELETE, copy.toString(), () -> store.deleteObjects(copy));
  }

  private String nameOf(String key) {
    return SimulatedCluster.nameOf(store.bucket(), key);
  }

  private <T> T change(RequestType type, String key, Effect<T> effect) throws IOException {
    return calls.make(new Call(type + " " + nameOf(key), true, true), effect);
  }

  private <T> T read(RequestType type, String key, Effect<T> effect) throws IOException {
    return calls.make(new Call(type + " " + nameOf(key), true, false), effect);
  }

  /** Simulated buckets are small: a listing has one page. */
  private <T> RemoteIterator<T> pages(
      RequestType type, String prefix, Effect<RemoteIterator<T>> listing) {
    return new Pages<T, T>(
        none ->
            read(
                type,
                prefix,
                () -> new Pages.Page<>(RemoteIterators.toList(listing.take()), null)));
  }

  /** A late request must not read a buffer that its process has given back. */
  private static RepeatableBody copy(RepeatableBody body) throws IOException {
    try (var in = body.open()) {
      return RepeatableBody.of(in.readAllBytes());
    }
  }
}
