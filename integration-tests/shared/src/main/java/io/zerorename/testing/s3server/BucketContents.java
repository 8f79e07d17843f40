package io.zerorename.testing.s3server;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchUploadException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * All that a bucket holds, or a directory of one, pending uploads included, as assertions need it.
 */
public final class BucketContents {
  private static final Logger LOG = LoggerFactory.getLogger(BucketContents.class);
  private static final int KEYS_OF_A_REQUEST = 1_000;

  private final S3Client client;
  private final String bucket;
  private final String directory;

  BucketContents(S3Client client, String bucket) {
    this(client, bucket, "");
  }

  /**
   * @param directory of the bucket, which ends in a slash; keys begin behind it
   */
  BucketContents(S3Client client, String bucket, String directory) {
    this.client = requireNonNull(client, "client");
    this.bucket = requireNonNull(bucket, "bucket");
    this.directory = requireNonNull(directory, "directory");
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
        .listObjectsV2Paginator(request -> request.bucket(bucket).prefix(directory + prefix))
        .contents()
        .forEach((S3Object object) -> sizes.put(below(object.key()), object.size()));
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
                  request
                      .bucket(bucket)
                      .prefix(directory + prefix)
                      .keyMarker(fromKey)
                      .uploadIdMarker(fromId));
      for (MultipartUpload upload : page.uploads()) {
        uploads.add(new PendingUpload(below(upload.key()), upload.uploadId()));
      }
      keyMarker = page.nextKeyMarker();
      idMarker = page.nextUploadIdMarker();
    } while (Boolean.TRUE.equals(page.isTruncated()));
    return uploads;
  }

  /** The bytes of an object. */
  public byte[] read(String key) {
    return client
        .getObjectAsBytes(request -> request.bucket(bucket).key(directory + key))
        .asByteArrayUnsafe();
  }

  /** Writes an object, as somebody else would. */
  public void write(String key, byte[] bytes) {
    client.putObject(
        request -> request.bucket(bucket).key(directory + key),
        software.amazon.awssdk.core.sync.RequestBody.fromBytes(bytes));
  }

  /** Deletes all objects and aborts all uploads under a prefix. */
  public void clear(String prefix) {
    deleteObjects(prefix);
    abortUploads(prefix);
  }

  void deleteObjects(String prefix) {
    List<String> keys = new ArrayList<>(files(prefix));
    while (!keys.isEmpty()) {
      List<String> some = keys.subList(0, Math.min(keys.size(), KEYS_OF_A_REQUEST));
      delete(some);
      some.clear();
    }
    // Markers go last and one by one: S3Proxy fails to remove directories beside files.
    objects(prefix)
        .keySet()
        .forEach(
            key -> client.deleteObject(request -> request.bucket(bucket).key(directory + key)));
  }

  /** Aborts all uploads under a prefix. */
  public void abortUploads(String prefix) {
    pendingUploads(prefix)
        .forEach(
            upload -> {
              try {
                client.abortMultipartUpload(
                    request ->
                        request
                            .bucket(bucket)
                            .key(directory + upload.key())
                            .uploadId(upload.uploadId()));
              } catch (NoSuchUploadException e) {
                LOG.debug("The listing has shown an upload that has ended: {}", upload, e);
              }
            });
  }

  /** Whether an object that is deleted is kept. A store that does not answer that keeps none. */
  boolean keepsVersions() {
    try {
      return client.getBucketVersioning(request -> request.bucket(bucket)).status()
          == BucketVersioningStatus.ENABLED;
    } catch (S3Exception e) {
      LOG.warn("Whether {} keeps versions is not known", bucket, e);
      return false;
    }
  }

  private void delete(List<String> keys) {
    List<ObjectIdentifier> identifiers =
        keys.stream().map(key -> ObjectIdentifier.builder().key(directory + key).build()).toList();
    client
        .deleteObjects(
            request -> request.bucket(bucket).delete(bulk -> bulk.objects(identifiers).quiet(true)))
        .errors()
        .stream()
        .findFirst()
        .ifPresent(
            error -> {
              throw new IllegalStateException(
                  "%s was not deleted: %s".formatted(error.key(), error.message()));
            });
  }

  /** No object of others must ever be touched, whatever a server lists. */
  private String below(String key) {
    if (!key.startsWith(directory)) {
      throw new IllegalStateException(
          "the server lists " + key + " below " + directory + ", where it is not");
    }
    return key.substring(directory.length());
  }
}
