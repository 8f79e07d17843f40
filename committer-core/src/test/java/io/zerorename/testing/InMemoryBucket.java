package io.zerorename.testing;

import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;

/** The state of an {@link InMemoryObjectStore}; every method takes effect at once or not at all. */
final class InMemoryBucket {
  /** Without their bytes, which most of a long simulation's time would go into. */
  static final Comparator<String> UTF_8_ORDER =
      (a, b) -> {
        int first = Arrays.mismatch(a.toCharArray(), b.toCharArray());
        if (first < 0 || first == Math.min(a.length(), b.length())) {
          return a.length() - b.length();
        }
        char ofA = a.charAt(first);
        char ofB = b.charAt(first);
        // Halves of characters beyond U+FFFF, which come after all others.
        boolean pair = Character.isSurrogate(ofA);
        return pair == Character.isSurrogate(ofB) ? ofA - ofB : pair ? 1 : -1;
      };

  @SuppressWarnings("ArrayRecordComponent")
  record StoredObject(
      byte[] bytes, String etag, Map<String, String> metadata, Instant lastModified) {}

  /** In the order of a listing. */
  private record UploadName(String key, String uploadId) implements Comparable<UploadName> {
    private static final Comparator<UploadName> ORDER =
        Comparator.comparing(UploadName::key, UTF_8_ORDER).thenComparing(UploadName::uploadId);

    @Override
    public int compareTo(UploadName other) {
      return ORDER.compare(this, other);
    }
  }

  private static final class Upload {
    final Map<String, String> metadata;
    final Instant initiated;
    final TreeMap<Integer, byte[]> parts = new TreeMap<>();
    String completedEtag;
    boolean aborted;

    Upload(Map<String, String> metadata, Instant initiated) {
      this.metadata = metadata;
      this.initiated = initiated;
    }

    boolean pending() {
      return completedEtag == null && !aborted;
    }
  }

  private final String bucket;
  private final InMemoryObjectStore.Variant variant;
  private final Supplier<Instant> clock;
  private final TreeMap<String, StoredObject> objects = new TreeMap<>(UTF_8_ORDER);
  private final TreeMap<UploadName, Upload> uploads = new TreeMap<>();
  private final TreeMap<UploadName, Upload> hidden = new TreeMap<>();

  InMemoryBucket(String bucket, InMemoryObjectStore.Variant variant, Supplier<Instant> clock) {
    this.bucket = bucket;
    this.variant = variant;
    this.clock = clock;
  }

  synchronized List<String> keys() {
    return List.copyOf(objects.keySet());
  }

  synchronized Optional<StoredObject> find(String key) {
    return Optional.ofNullable(objects.get(key));
  }

  synchronized List<PendingUploadSummary> listUploads(
      String prefix, PendingUploadSummary after, int limit) {
    UploadName from =
        after == null ? new UploadName(prefix, "") : new UploadName(after.key(), after.uploadId());
    List<PendingUploadSummary> page = new ArrayList<>();
    for (Map.Entry<UploadName, Upload> entry : uploads.tailMap(from, after == null).entrySet()) {
      if (page.size() == limit || !entry.getKey().key().startsWith(prefix)) {
        break;
      }
      if (entry.getValue().pending()) {
        page.add(
            new PendingUploadSummary(
                entry.getKey().key(), entry.getKey().uploadId(), entry.getValue().initiated));
      }
    }
    return page;
  }

  synchronized void lose(String key, String uploadId) {
    if (uploads.remove(new UploadName(key, uploadId)) == null) {
      throw new AssertionError("no upload " + uploadId + " of " + key);
    }
  }

  synchronized void hide(String key) {
    move(key, uploads, hidden);
  }

  synchronized void show(String key) {
    move(key, hidden, uploads);
  }

  private static void move(String key, Map<UploadName, Upload> from, Map<UploadName, Upload> to) {
    from.forEach(
        (name, upload) -> {
          if (name.key().equals(key)) {
            to.put(name, upload);
          }
        });
    from.keySet().removeAll(to.keySet());
  }

  synchronized String put(String key, byte[] bytes, Map<String, String> metadata) {
    String etag = etag(bytes);
    objects.put(key, new StoredObject(bytes, etag, Map.copyOf(metadata), now()));
    return etag;
  }

  synchronized String putIfAbsent(String key, byte[] bytes, Map<String, String> metadata)
      throws StoreException {
    if (objects.containsKey(key)) {
      throw failure(Kind.PRECONDITION_FAILED, "conditional PUT", key, "the object exists");
    }
    return put(key, bytes, metadata);
  }

  synchronized String createUpload(String key, Map<String, String> metadata) {
    String uploadId = UUID.randomUUID().toString();
    uploads.put(new UploadName(key, uploadId), new Upload(Map.copyOf(metadata), clock.get()));
    return uploadId;
  }

  synchronized UploadedPart uploadPart(String key, String uploadId, int number, byte[] bytes)
      throws StoreException {
    if (number < 1 || number > 10_000) {
      throw failure(Kind.REJECTED, "UploadPart", key, "part number " + number);
    }
    Upload upload = uploads.get(new UploadName(key, uploadId));
    boolean takes =
        upload != null
            && (upload.pending()
                || (upload.aborted && variant.has(StoreDifference.TAKES_PARTS_AFTER_ABORT)));
    if (!takes) {
      throw noSuchUpload("UploadPart", key, uploadId);
    }
    upload.parts.put(number, bytes);
    return new UploadedPart(number, etag(bytes), bytes.length);
  }

  synchronized String complete(String key, String uploadId, List<UploadedPart> parts)
      throws StoreException {
    Upload upload = uploads.get(new UploadName(key, uploadId));
    if (upload == null || upload.aborted) {
      throw noSuchUpload("CompleteMultipartUpload", key, uploadId);
    }
    if (upload.completedEtag != null) {
      if (variant.secondCompleteSucceeds()) {
        return upload.completedEtag;
      }
      throw noSuchUpload("CompleteMultipartUpload", key, uploadId);
    }
    if (parts.isEmpty()) {
      throw rejected(key, "it names no part");
    }
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    ByteArrayOutputStream digests = new ByteArrayOutputStream();
    int last = parts.get(parts.size() - 1).number();
    int previous = 0;
    for (UploadedPart part : parts) {
      byte[] bytes = upload.parts.get(part.number());
      if (part.number() <= previous) {
        throw rejected(key, "parts are not in order");
      }
      if (bytes == null || !etag(bytes).equals(part.etag())) {
        throw rejected(key, "part " + part.number() + " is absent or has another ETag");
      }
      if (bytes.length < variant.minPartSize() && part.number() != last) {
        throw rejected(key, "part " + part.number() + " has only " + bytes.length + " bytes");
      }
      previous = part.number();
      content.writeBytes(bytes);
      digests.writeBytes(md5(bytes));
    }
    String etag = etag(digests.toByteArray()).replaceFirst("\"$", "-" + parts.size() + "\"");
    objects.put(key, new StoredObject(content.toByteArray(), etag, upload.metadata, now()));
    upload.completedEtag = etag;
    upload.parts.clear();
    return etag;
  }

  synchronized String completeIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws StoreException {
    Upload upload = uploads.get(new UploadName(key, uploadId));
    if (upload != null && upload.pending() && objects.containsKey(key)) {
      throw failure(Kind.PRECONDITION_FAILED, "CompleteMultipartUpload", key, "the object exists");
    }
    return complete(key, uploadId, parts);
  }

  synchronized void abort(String key, String uploadId) throws StoreException {
    Upload upload = uploads.get(new UploadName(key, uploadId));
    if (upload == null || !upload.pending()) {
      throw noSuchUpload("AbortMultipartUpload", key, uploadId);
    }
    upload.aborted = true;
    upload.parts.clear();
  }

  synchronized List<UploadedPart> parts(String key, String uploadId, int after, int limit)
      throws StoreException {
    Upload upload = uploads.get(new UploadName(key, uploadId));
    if (upload == null || !upload.pending()) {
      throw noSuchUpload("ListParts", key, uploadId);
    }
    return upload.parts.tailMap(after, false).entrySet().stream()
        .limit(limit)
        .map(part -> new UploadedPart(part.getKey(), etag(part.getValue()), part.getValue().length))
        .toList();
  }

  /** Not as a stream of a part of the map, which counts all of that part first. */
  synchronized List<ObjectSummary> list(String prefix, String after, int limit) {
    List<ObjectSummary> page = new ArrayList<>();
    for (Map.Entry<String, StoredObject> entry :
        objects.tailMap(after == null ? prefix : after, after == null).entrySet()) {
      if (page.size() == limit || !entry.getKey().startsWith(prefix)) {
        break;
      }
      page.add(
          new ObjectSummary(
              entry.getKey(),
              entry.getValue().bytes().length,
              entry.getValue().etag(),
              entry.getValue().lastModified()));
    }
    return page;
  }

  synchronized void delete(List<String> keys) {
    keys.forEach(objects::remove);
  }

  private StoreException noSuchUpload(String request, String key, String uploadId) {
    return failure(Kind.NO_SUCH_UPLOAD, request, key, "there is no upload " + uploadId);
  }

  private StoreException rejected(String key, String reason) {
    return failure(Kind.REJECTED, "CompleteMultipartUpload", key, reason);
  }

  StoreException failure(Kind kind, String request, String key, String reason) {
    return new StoreException(
        kind, request + " of s3a://" + bucket + "/" + key + " failed: " + reason);
  }

  private Instant now() {
    return clock.get().truncatedTo(ChronoUnit.MILLIS);
  }

  private static String etag(byte[] bytes) {
    return '"' + HexFormat.of().formatHex(md5(bytes)) + '"';
  }

  private static byte[] md5(byte[] bytes) {
    try {
      return MessageDigest.getInstance("MD5").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has MD5", e);
    }
  }
}
