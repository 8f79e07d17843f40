package io.zerorename.core.s3a;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestCounts;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/**
 * A bucket as an S3A file system sees it. What is repeated here is what S3A's client repeats by
 * itself.
 */
final class S3AObjectStore implements ObjectStore {
  /** By which a later copy of a conditional PUT may be refused although an earlier one worked. */
  private static final Set<Kind> PUT_REFUSALS =
      EnumSet.of(
          Kind.PRECONDITION_FAILED,
          Kind.ACCESS_DENIED,
          Kind.EXPIRED,
          Kind.NO_CREDENTIALS,
          Kind.REJECTED);

  private final S3AFileSystem fileSystem;
  private final InstrumentedClient client;
  private final S3ARequests requests;
  private final S3ACalls calls;
  private final S3AListings listings;
  private final S3ADeletes deletes;
  private final StoreClock clock = new StoreClock();

  S3AObjectStore(
      S3AFileSystem fileSystem, S3Client client, AuditLabels labels, RequestCounts counts) {
    this.fileSystem = fileSystem;
    this.client = new InstrumentedClient(client, clock);
    this.requests =
        new S3ARequests(
            fileSystem.getBucket(), fileSystem.getRequestFactory(), fileSystem.getConf());
    this.calls = new S3ACalls(fileSystem, labels, counts);
    this.listings = new S3AListings(this.client, requests, calls);
    this.deletes = new S3ADeletes(this.client, requests, calls, fileSystem.getConf());
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
                S3ARequests.checksum(request, answer));
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
    try {
      CompleteMultipartUploadResponse answer =
          calls.send(name, key, () -> client.completeMultipartUpload(request.apply()));
      // By the key and not by the ETag, which is empty in an answer of Ceph.
      calls.required(name, key, "Key", answer.key());
    } catch (StoreException e) {
      // The upload may be gone because of an earlier copy.
      throw isOfRepeated(e, Set.of(Kind.NO_SUCH_UPLOAD)) ? StoreException.afterLostAnswer(e) : e;
    }
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
    try {
      return put(
          "PutObject (if absent)",
          key,
          body,
          () -> requests.putIfAbsent(key, body.length(), metadata));
    } catch (StoreException e) {
      // The object may be that of an earlier copy, whatever a later one is refused for.
      throw isOfRepeated(e, PUT_REFUSALS) ? StoreException.afterLostAnswer(e) : e;
    }
  }

  /**
   * Whether a refusal is that of a later copy: the client repeats requests by itself, and an
   * earlier one may have had its effect.
   */
  private static boolean isOfRepeated(StoreException refusal, Set<Kind> kinds) {
    return kinds.contains(refusal.kind())
        && refusal.getCause() instanceof AwsServiceException answer
        && RequestAttempts.mayEarlierCount(answer);
  }

  @Override
  public Instant now() {
    return clock.now();
  }

  @Override
  public byte[] getObject(String key) throws IOException {
    return calls.send(
        "GetObject", key, () -> client.getObjectAsBytes(requests.get(key)).asByteArrayUnsafe());
  }

  @Override
  public Optional<ObjectHead> headObject(String key) throws IOException {
    try {
      HeadObjectResponse head =
          calls.send("HeadObject", key, () -> client.headObject(requests.head(key)));
      long size = calls.required("HeadObject", key, "Content-Length", head.contentLength());
      return Optional.of(new ObjectHead(size, head.eTag(), head.metadata()));
    } catch (StoreException e) {
      if (e.kind() == Kind.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) {
    return listings.objects(prefix);
  }

  @Override
  public Map<String, Refusal> deleteObjects(Collection<String> keys) throws IOException {
    return deletes.delete(keys);
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
}
