package io.zerorename.testing;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/** A store that has another do its work, save what a test overrides. */
public abstract class ForwardingStore implements ObjectStore {
  protected final ObjectStore store;

  protected ForwardingStore(ObjectStore store) {
    this.store = requireNonNull(store, "store");
  }

  @Override
  public String bucket() {
    return store.bucket();
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata) throws IOException {
    return store.createUpload(key, metadata);
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata, InvocationRaisingIOE lost)
      throws IOException {
    return store.createUpload(key, metadata, lost);
  }

  @Override
  public UploadedPart uploadPart(String key, String uploadId, int partNumber, RepeatableBody body)
      throws IOException {
    return store.uploadPart(key, uploadId, partNumber, body);
  }

  @Override
  public void completeUpload(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    store.completeUpload(key, uploadId, parts);
  }

  @Override
  public void completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    store.completeUploadIfAbsent(key, uploadId, parts);
  }

  @Override
  public void abortUpload(String key, String uploadId) throws IOException {
    store.abortUpload(key, uploadId);
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
    return store.listParts(key, uploadId);
  }

  @Override
  public String putObject(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    return store.putObject(key, body, metadata);
  }

  @Override
  public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    return store.putObjectIfAbsent(key, body, metadata);
  }

  @Override
  public Instant now() {
    return store.now();
  }

  @Override
  public byte[] getObject(String key) throws IOException {
    return store.getObject(key);
  }

  @Override
  public Optional<ObjectHead> headObject(String key) throws IOException {
    return store.headObject(key);
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
    return store.listObjects(prefix);
  }

  @Override
  public Map<String, Refusal> deleteObjects(
      Collection<String> keys, CallableRaisingIOE<Boolean> fresh) throws IOException {
    return store.deleteObjects(keys, fresh);
  }
}
