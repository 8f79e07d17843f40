package io.zerorename.testing.s3server;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.S3Object;

/** All that a bucket holds, pending uploads included, as assertions need it. */
public final class BucketContents {
  private final S3Client client;
  private final String bucket;

  BucketContents(S3Client client, String bucket) {
    this.client = requireNonNull(client, "client");
    this.bucket = requireNonNull(bucket, "bucket");
  }

  /**
   * An upload that was begun and neither completed nor aborted.
   *
   * @param uploadId as the server knows it
   */
  public record PendingUpload(String key, String uploadId) {}

  public String bucket() {
    return bucket;
  }

  /** Sizes in bytes by key, directory markers included. */
  public SortedMap<String, Long> objects(String prefix) {
    SortedMap<String, Long> sizes = new TreeMap<>();
    client
        .listObjectsV2Paginator(request -> request.bucket(bucket).prefix(prefix))
        .contents()
        .forEach((S3Object object) -> sizes.put(object.key(), object.size()));
    return sizes;
  }

  /** The keys of objects that are not directory markers. */
  public List<String> files(String prefix) {
    return objects(prefix).keySet().stream().filter(key -> !key.endsWith("/")).toList();
  }

  /** Uploads whose keys start with a prefix. */
  public List<PendingUpload> pendingUploads(String prefix) {
    List<PendingUpload> uploads = new ArrayList<>();
    String keyMarker = null;
    String idMarker = null;
    ListMultipartUploadsResponse page;
    do {
      String fromKey = keyMarker;
      String fromId = idMarker;
      page =
          client.listMultipartUploads(
              request ->
                  request.bucket(bucket).prefix(prefix).keyMarker(fromKey).uploadIdMarker(fromId));
      for (MultipartUpload upload : page.uploads()) {
        uploads.add(new PendingUpload(upload.key(), upload.uploadId()));
      }
      keyMarker = page.nextKeyMarker();
      idMarker = page.nextUploadIdMarker();
    } while (Boolean.TRUE.equals(page.isTruncated()));
    return uploads;
  }

  /** The bytes of an object. */
  public byte[] read(String key) {
    return client.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asByteArrayUnsafe();
  }

  /** Writes an object, as somebody else would. */
  public void write(String key, byte[] bytes) {
    client.putObject(
        request -> request.bucket(bucket).key(key),
        software.amazon.awssdk.core.sync.RequestBody.fromBytes(bytes));
  }

  /** Deletes all objects and aborts all uploads under a prefix. */
  public void clear(String prefix) {
    objects(prefix)
        .keySet()
        .forEach(key -> client.deleteObject(request -> request.bucket(bucket).key(key)));
    pendingUploads(prefix)
        .forEach(
            upload ->
                client.abortMultipartUpload(
                    request ->
                        request.bucket(bucket).key(upload.key()).uploadId(upload.uploadId())));
  }
}
