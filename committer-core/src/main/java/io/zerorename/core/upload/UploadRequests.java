package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * What one file sends to the store. Each method sends in the calling thread; its {@link
 * UploadStream} decides which thread that is, and when. Thread-safe.
 */
final class UploadRequests {
  /** S3 allows no more. */
  private static final int MAX_PARTS = 10_000;

  final Path destination;
  private final String key;
  private final ObjectStore store;
  private final MultipartUploads uploads;
  private final String identity = UUID.randomUUID().toString();

  /** Sends the Create in the first thread that needs it; the others wait for that one. */
  private final FutureTask<String> create = new FutureTask<>(this::sendCreate);

  private final NavigableMap<Integer, UploadedPart> sent = new ConcurrentSkipListMap<>();

  /** Of an upload that exists. */
  private volatile String id;

  UploadRequests(Path destination, ObjectStore store, MultipartUploads uploads) {
    this.destination = destination;
    this.key = ObjectKeys.of(destination);
    this.store = store;
    this.uploads = uploads;
  }

  private String sendCreate() throws IOException {
    uploads.runBeforeFirst();
    id = store.createUpload(key, Map.of(OutputFile.IDENTITY_METADATA, identity), uploads::noteLost);
    return id;
  }

  /**
   * Creates the upload, unless that was done, and sends a part.
   *
   * @param part null where only the upload is created
   * @param check fails where no request is wanted any more
   */
  void send(PartBuffer part, InvocationRaisingIOE check) throws IOException {
    check.apply();
    create.run();
    FutureIO.awaitFuture(create);
    if (part == null) {
      return;
    }
    check.apply();
    if (part.number > MAX_PARTS) {
      throw new IOException(
          "ZR-2106: the file needs more than "
              + MAX_PARTS
              + " parts, which S3 does not allow. Raise fs.s3a.multipart.size.");
    }
    sent.put(part.number, store.uploadPart(key, id, part.number, part));
  }

  /** The upload with the parts that were sent. */
  PendingUpload pending() {
    return new PendingUpload(
        destination,
        id,
        List.copyOf(sent.values()),
        uploads.jobId,
        uploads.taskAttemptId,
        identity);
  }

  /** A file of which nothing was sent. */
  InlineFile inlined(RepeatableBody body) throws IOException {
    uploads.runBeforeFirst();
    return new InlineFile(destination, body, uploads.jobId, uploads.taskAttemptId, identity);
  }

  /** Aborts the upload if there is one; no other request of the file may be under way. */
  void abort() throws IOException {
    try {
      if (id != null) {
        store.abortUpload(key, id);
      }
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
        throw e;
      }
    }
    id = null;
  }
}
