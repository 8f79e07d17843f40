package io.zerorename.core.store;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * A store that has another do its work, and decides how each request is sent. Listings and bulk
 * deletes, which may be several requests, are handed on as they are.
 */
public abstract class ForwardingStore implements ObjectStore {
  /** Sends a request to the other store. */
  @FunctionalInterface
  protected interface Request<T> {
    T send() throws IOException;
  }

  protected final ObjectStore store;

  protected ForwardingStore(ObjectStore store) {
    this.store = requireNonNull(store, "store");
  }

  protected abstract <T> T send(RequestType type, Request<T> request) throws IOException;

  @Override
  public String bucket() {
    return store.bucket();
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata) throws IOException {
    return send(RequestType.CREATE_UPLOAD, () -> store.createUpload(key, metadata));
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata, LostAnswer lost)
      throws IOException {
    return send(RequestType.CREATE_UPLOAD, () -> store.createUpload(key, metadata, lost));
  }

  @Override
  public UploadedPart uploadPart(String key, String uploadId, int partNumber, RepeatableBody body)
      throws IOException {
    return send(RequestType.UPLOAD_PART, () -> store.uploadPart(key, uploadId, partNumber, body));
  }

  @Override
  public String completeUpload(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    return send(RequestType.COMPLETE_UPLOAD, () -> store.completeUpload(key, uploadId, parts));
  }

  @Override
  public String completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    return send(
        RequestType.COMPLETE_UPLOAD, () -> store.completeUploadIfAbsent(key, uploadId, parts));
  }

  @Override
  public void abortUpload(String key, String uploadId) throws IOException {
    send(
        RequestType.ABORT_UPLOAD,
        () -> {
          store.abortUpload(key, uploadId);
          return null;
        });
  }

  @Override
  public RemoteIterator<PendingUploadSummary> listUploads(String prefix) throws IOException {
    return store.listUploads(prefix);
  }

  @Override
  public boolean listsUploadsByPrefix() {
    return store.listsUploadsByPrefix();
  }

  @Override
  public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
    return send(RequestType.LIST_PARTS, () -> store.listParts(key, uploadId));
  }

  @Override
  public Optional<Duration> uploadsExpireAfter(String prefix) throws IOException {
    return send(RequestType.GET_LIFECYCLE, () -> store.uploadsExpireAfter(prefix));
  }

  @Override
  public String putObject(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    return send(RequestType.PUT, () -> store.putObject(key, body, metadata));
  }

  @Override
  public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    return send(RequestType.PUT, () -> store.putObjectIfAbsent(key, body, metadata));
  }

  @Override
  public Instant now() {
    return store.now();
  }

  @Override
  public byte[] getObject(String key) throws IOException {
    return send(RequestType.GET, () -> store.getObject(key));
  }

  @Override
  public Optional<ObjectHead> headObject(String key) throws IOException {
    return send(RequestType.HEAD, () -> store.headObject(key));
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
    return store.listObjects(prefix);
  }

  @Override
  public Map<String, Refusal> deleteObjects(Collection<String> keys) throws IOException {
    return store.deleteObjects(keys);
  }

  @Override
  public Map<String, Refusal> deleteObjects(Collection<String> keys, Condition fresh)
      throws IOException {
    return store.deleteObjects(keys, fresh);
  }

  @Override
  public long throttledAnswers() {
    return store.throttledAnswers();
  }
}
