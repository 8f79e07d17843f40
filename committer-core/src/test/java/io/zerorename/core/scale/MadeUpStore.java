package io.zerorename.core.scale;

import static io.zerorename.core.scale.MillionFilesTest.FILES_PER_MANIFEST;
import static io.zerorename.core.scale.MillionFilesTest.MANIFESTS;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.ForwardingStore;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * A store that remembers of each upload whether it was completed, one bit, and makes up 1,000 old
 * objects for each directory that is listed.
 */
final class MadeUpStore extends ForwardingStore implements ObjectStores {
  private static final String ID = "Vm1pbHlvbnMtb2YtdXBsb2Fkcy1hcmUtbmFtZWQtbGlrZS10aGlz-";

  private static final int UPLOADS = MANIFESTS * FILES_PER_MANIFEST;

  private final BitSet completed = new BitSet(UPLOADS);
  private int deleted;
  private int largestBatch;
  private int partsListed;

  MadeUpStore() {
    super(
        (ObjectStore)
            Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                  throw new AssertionError("a commit of uploads does not ask for this: " + method);
                }));
  }

  static String uploadId(int number) {
    return ID + number;
  }

  synchronized int completed() {
    return completed.cardinality();
  }

  synchronized int deleted() {
    return deleted;
  }

  synchronized int partsListed() {
    return partsListed;
  }

  synchronized int largestBatch() {
    return largestBatch;
  }

  @Override
  public ObjectStore forPath(Path path) {
    return this;
  }

  @Override
  public String bucket() {
    return "bucket";
  }

  @Override
  public synchronized void completeUpload(String key, String uploadId, List<UploadedPart> parts) {
    int number = Integer.parseInt(uploadId.substring(ID.length()));
    if (completed.get(number) || !key.endsWith("." + number)) {
      throw new AssertionError(uploadId + " is completed twice, or as " + key);
    }
    completed.set(number);
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) {
    return RemoteIterators.remoteIteratorFromIterator(
        IntStream.range(0, 1_000)
            .mapToObj(
                i ->
                    new ObjectSummary(
                        prefix + "%06d_0.old".formatted(i), 100_000, "\"old\"", Instant.EPOCH))
            .iterator());
  }

  @Override
  public synchronized Map<String, Refusal> deleteObjects(Collection<String> keys) {
    if (completed.cardinality() < UPLOADS || !keys.stream().allMatch(key -> key.endsWith(".old"))) {
      throw new AssertionError("something is deleted too early, or that is not old: " + keys);
    }
    deleted += keys.size();
    largestBatch = Math.max(largestBatch, keys.size());
    return Map.of();
  }

  /** The old objects are as they were listed. */
  @Override
  public Map<String, Refusal> deleteObjects(
      Collection<String> keys, CallableRaisingIOE<Boolean> fresh) {
    return deleteObjects(keys);
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public RemoteIterator<PendingUploadSummary> listUploads(String prefix) {
    return RemoteIterators.remoteIteratorFromIterator(
        IntStream.range(0, UPLOADS)
            .mapToObj(
                i ->
                    new PendingUploadSummary(
                        ObjectKeys.of(MillionFiles.path(i)), uploadId(i), Instant.EPOCH))
            .iterator());
  }

  /** Each upload is there. */
  @Override
  public synchronized List<UploadedPart> listParts(String key, String uploadId) {
    partsListed++;
    return List.of(new UploadedPart(1, "", 1));
  }
}
