package io.zerorename.core.s3a;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.s3a.Constants;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** A bucket as an S3A file system sees it. Repeats nothing. */
final class S3AObjectStore implements ObjectStore {
  /** Errors of single keys, in an answer of status 200, that are about the moment. */
  private static final Set<String> PASSING_CODES =
      Set.of(
          "InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted");

  private final S3AFileSystem fileSystem;
  private final SingleAttemptClient client;
  private final S3ARequests requests;
  private final S3ACalls calls;
  private final S3AListings listings;
  private final int deletedAtOnce;

  S3AObjectStore(
      S3AFileSystem fileSystem,
      S3Client client,
      AuditLabels labels,
      Map<RequestType, Long> counts) {
    this.fileSystem = fileSystem;
    this.client = new SingleAttemptClient(client);
    this.requests =
        new S3ARequests(
            fileSystem.getBucket(), fileSystem.getRequestFactory(), fileSystem.getConf());
    this.calls = new S3ACalls(fileSystem, labels, counts);
    this.listings = new S3AListings(this.client, requests, calls);
    // S3A's own default of 250 is against many of its processes that delete at once.
    int wanted = fileSystem.getConf().getInt(Constants.BULK_DELETE_PAGE_SIZE, PAGE_SIZE);
    this.deletedAtOnce = Math.max(1, Math.min(wanted, PAGE_SIZE));
  }

  @Override
  public String bucket() {
    return fileSystem.getBucket();
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata) throws IOException {
    return calls.send(
        "CreateMultipartUpload",
        key,
        () ->
            calls.required(
                "CreateMultipartUpload",
                key,
                "upload id",
                client.createMultipartUpload(requests.createUpload(key, metadata)).uploadId()));
  }

  @Override
  public UploadedPart uploadPart(String key, String uploadId, int partNumber, RepeatableBody body)
      throws IOException {
    long length = body.length();
    try (BodyStreams streams = new BodyStreams(body)) {
      String name = "UploadPart " + partNumber;
      return calls.send(
          name,
          key,
          () -> {
            UploadPartRequest request = requests.uploadPart(key, uploadId, partNumber, length);
            UploadPartResponse answer = client.uploadPart(request, streams.requestBody());
            return new UploadedPart(
                partNumber,
                calls.required(name, key, "ETag", answer.eTag()),
                length,
                S3ARequests.checksums(request, answer));
          });
    }
  }

  @Override
  public void completeUpload(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    complete("CompleteMultipartUpload", key, () -> requests.complete(key, uploadId, parts));
  }

  @Override
  public void completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    complete(
        "CompleteMultipartUpload (if absent)",
        key,
        () -> requests.completeIfAbsent(key, uploadId, parts));
  }

  private void complete(
      String name, String key, CallableRaisingIOE<CompleteMultipartUploadRequest> request)
      throws IOException {
    CompleteMultipartUploadResponse answer =
        calls.send(name, key, () -> client.completeMultipartUpload(request.apply()));
    // By the key and not by the ETag, which is empty in an answer of Ceph.
    calls.required(name, key, "Key", answer.key());
  }

  @Override
  public void abortUpload(String key, String uploadId) throws IOException {
    calls.send(
        "AbortMultipartUpload",
        key,
        () -> client.abortMultipartUpload(requests.abort(key, uploadId)));
  }

  @Override
  public RemoteIterator<PendingUploadSummary> listUploads(String prefix) {
    return listings.uploads(prefix);
  }

  @Override
  public boolean listsUploadsByPrefix() {
    return !listings.isOfMinio();
  }

  @Override
  public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
    return RemoteIterators.toList(listings.parts(key, uploadId));
  }

  @Override
  public String putObject(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    return put("PutObject", key, body, () -> requests.put(key, body.length(), metadata));
  }

  @Override
  public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    return put(
        "PutObject (if absent)",
        key,
        body,
        () -> requests.putIfAbsent(key, body.length(), metadata));
  }

  @Override
  public Instant now() {
    return client.now();
  }

  @Override
  public byte[] getObject(String key) throws IOException {
    return calls.send(
        "GetObject", key, () -> client.getObjectAsBytes(requests.get(key)).asByteArrayUnsafe());
  }

  @Override
  public Optional<ObjectHead> headObject(String key) throws IOException {
    return StoreException.orElse(
        Kind.NOT_FOUND,
        Optional.empty(),
        () -> {
          HeadObjectResponse head =
              calls.send("HeadObject", key, () -> client.headObject(requests.head(key)));
          long size = calls.required("HeadObject", key, "Content-Length", head.contentLength());
          return Optional.of(new ObjectHead(size, head.eTag(), head.metadata()));
        });
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) {
    return listings.objects(prefix);
  }

  @Override
  public Map<String, Refusal> deleteObjects(
      Collection<String> keys, CallableRaisingIOE<Boolean> fresh) throws IOException {
    Map<String, Refusal> refused = new LinkedHashMap<>();
    List<String> all = List.copyOf(keys);
    for (int from = 0; from < all.size(); from += deletedAtOnce) {
      if (!fresh.apply()) {
        // This process may have slept since the comparison, or since the last page.
        all.subList(from, all.size()).forEach(key -> refused.put(key, Refusal.LATE));
        break;
      }
      List<String> page = all.subList(from, Math.min(all.size(), from + deletedAtOnce));
      List<S3Error> errors =
          calls.send(
              "DeleteObjects (" + page.size() + " keys, the first named)",
              page.get(0),
              () -> client.deleteObjects(requests.delete(page)).errors());
      for (S3Error error : errors) {
        if (!"NoSuchKey".equals(error.code())) {
          String reason = error.code() + ": " + error.message();
          refused.put(error.key(), new Refusal(reason, PASSING_CODES.contains(error.code())));
        }
      }
    }
    return refused;
  }

  private String put(
      String name, String key, RepeatableBody body, CallableRaisingIOE<PutObjectRequest> request)
      throws IOException {
    try (BodyStreams streams = new BodyStreams(body)) {
      return calls.send(
          name,
          key,
          () ->
              calls.required(
                  name,
                  key,
                  "ETag",
                  client.putObject(request.apply(), streams.requestBody()).eTag()));
    }
  }

  /**
   * Gives the SDK a body from its start as often as it asks, to sign it and to send it, and has at
   * most one stream of it open.
   */
  private static final class BodyStreams implements ContentStreamProvider, Closeable {
    /** What S3A sends with the objects that it writes. */
    private static final String CONTENT_TYPE = "application/octet-stream";

    private final RepeatableBody body;
    private InputStream current;

    BodyStreams(RepeatableBody body) {
      this.body = body;
    }

    RequestBody requestBody() {
      return RequestBody.fromContentProvider(this, body.length(), CONTENT_TYPE);
    }

    @Override
    public synchronized InputStream newStream() {
      try {
        close();
        current = body.open();
        return current;
      } catch (IOException e) {
        throw new UncheckedIOException(
            "ZR-4101: the bytes to upload cannot be read: " + e.getMessage(), e);
      }
    }

    @Override
    public synchronized void close() throws IOException {
      if (current != null) {
        current.close();
        current = null;
      }
    }
  }
}
