package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Pages;
import io.zerorename.core.store.Pages.Page;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ListPartsResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Lists objects, pending uploads and their parts, one request per page when its first entry is
 * asked for. Keys travel URL-encoded, because XML cannot hold every character of a key; the SDK
 * decodes them where the answer says that they are.
 */
final class S3AListings {
  private final S3Client client;
  private final S3ARequests requests;
  private final S3ACalls calls;
  private volatile boolean minio;

  private record UploadMarker(String key, String uploadId) {}

  S3AListings(S3Client client, S3ARequests requests, S3ACalls calls) {
    this.client = client;
    this.requests = requests;
    this.calls = calls;
  }

  /**
   * Fails where a key does not come after the one before it, in the order of their UTF-8 bytes. The
   * tail of a commit log is read from the newest entry on, and a listing goes on after its last
   * key: what comes out of order would be missed in silence.
   */
  RemoteIterator<ObjectSummary> objects(String prefix) {
    byte[][] last = {{}};
    return RemoteIterators.mappingRemoteIterator(
        new Pages<>((String token) -> page(prefix, token)),
        object -> {
          byte[] key = object.key().getBytes(UTF_8);
          if (Arrays.compareUnsigned(last[0], key) >= 0) {
            throw new StoreException(
                Kind.REJECTED,
                ("ZR-4221: The listing of %s cannot be relied on: the store lists the key %s behind"
                        + " %s. S3 lists keys in ascending order of their UTF-8 bytes; of a listing"
                        + " in another order the committer could miss entries of the commit log."
                        + " Use a store that lists as S3 does; docs/stores.md has those that were"
                        + " tested")
                    .formatted(calls.pathOf(prefix), object.key(), new String(last[0], UTF_8)));
          }
          last[0] = key;
          return object;
        });
  }

  RemoteIterator<PendingUploadSummary> uploads(String prefix) {
    return new Pages<>((UploadMarker marker) -> pageOfUploads(prefix, marker));
  }

  /** Whether the latest listing of uploads is of a server that lists them by exact key only. */
  boolean isOfMinio() {
    return minio;
  }

  RemoteIterator<UploadedPart> parts(String key, String uploadId) {
    return new Pages<>((Integer marker) -> pageOfParts(key, uploadId, marker));
  }

  private Page<ObjectSummary, String> page(String prefix, String token) throws IOException {
    ListObjectsV2Response answer =
        calls.send(
            "ListObjectsV2", prefix, () -> client.listObjectsV2(requests.list(prefix, token)));
    // A page of something else would be an empty listing.
    calls.required("ListObjectsV2", prefix, "Name", answer.name());
    List<ObjectSummary> entries =
        answer.contents().stream()
            .map(it -> new ObjectSummary(it.key(), it.size(), it.eTag(), it.lastModified()))
            .toList();
    return new Page<>(
        entries,
        next("ListObjectsV2", prefix, answer.isTruncated(), answer.nextContinuationToken()));
  }

  private Page<PendingUploadSummary, UploadMarker> pageOfUploads(String prefix, UploadMarker marker)
      throws IOException {
    String name = "ListMultipartUploads";
    String key = marker == null ? null : marker.key();
    String uploadId = marker == null ? null : marker.uploadId();
    ListMultipartUploadsRequest request = requests.listUploads(prefix, key, uploadId);
    ListMultipartUploadsResponse answer =
        calls.send(name, prefix, () -> client.listMultipartUploads(request));
    if (answer.encodingType() == null
        && answer.uploads().stream().anyMatch(upload -> upload.key().contains("%"))) {
      // Ceph encodes keys and does not say so; another store may not encode them.
      answer =
          calls.send(
              name,
              prefix,
              () ->
                  client.listMultipartUploads(
                      request.toBuilder().encodingType((String) null).build()));
    }
    // It names itself.
    minio =
        answer.sdkHttpResponse().firstMatchingHeader("Server").filter("MinIO"::equals).isPresent();
    List<PendingUploadSummary> entries =
        answer.uploads().stream()
            .map(it -> new PendingUploadSummary(it.key(), it.uploadId(), it.initiated()))
            .toList();
    String nextKey = next(name, prefix, answer.isTruncated(), answer.nextKeyMarker());
    return new Page<>(
        entries, nextKey == null ? null : new UploadMarker(nextKey, answer.nextUploadIdMarker()));
  }

  private Page<UploadedPart, Integer> pageOfParts(String key, String uploadId, Integer marker)
      throws IOException {
    String request = "ListParts";
    ListPartsResponse answer;
    try {
      answer =
          calls.send(
              request, key, () -> client.listParts(requests.listParts(key, uploadId, marker)));
    } catch (StoreException e) {
      // So Ceph says that there is no such upload; a 404 without a code may be a proxy's.
      throw e.getCause() instanceof S3Exception refusal
              && refusal.awsErrorDetails() != null
              && "NoSuchKey".equals(refusal.awsErrorDetails().errorCode())
          ? new StoreException(Kind.NO_SUCH_UPLOAD, e.getMessage(), e)
          : e;
    }
    calls.required(request, key, "UploadId", answer.uploadId());
    List<UploadedPart> entries =
        answer.parts().stream()
            .map(part -> new UploadedPart(part.partNumber(), part.eTag(), part.size()))
            .toList();
    return new Page<>(
        entries, next(request, key, answer.isTruncated(), answer.nextPartNumberMarker()));
  }

  /** What continues a listing, null at its end; never a silent end in the middle. */
  private <C> C next(String request, String prefix, Boolean truncated, C next)
      throws StoreException {
    if (!Boolean.TRUE.equals(truncated)) {
      return null;
    }
    if (next == null || next.equals("")) {
      throw new StoreException(
          Kind.REJECTED,
          ("ZR-4109: %s of %s failed: the store says that the list has more, but not where it"
                  + " continues. This is an error of the store")
              .formatted(request, calls.pathOf(prefix)));
    }
    return next;
  }
}
