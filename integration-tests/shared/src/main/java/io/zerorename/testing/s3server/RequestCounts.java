package io.zerorename.testing.s3server;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How many requests of each type a gateway has seen, and the bytes that moved.
 *
 * @param byType holds only types that occurred, in the order of {@link RequestType}
 * @param bytesUploaded payload of PutObject and UploadPart
 * @param bytesDownloaded payload of GetObject
 * @param bytesCopied size of what the server copied by itself
 */
public record RequestCounts(
    Map<RequestType, Long> byType, long bytesUploaded, long bytesDownloaded, long bytesCopied) {

  public static final RequestCounts NONE = new RequestCounts(Map.of(), 0, 0, 0);

  public RequestCounts {
    EnumMap<RequestType, Long> copy = new EnumMap<>(RequestType.class);
    byType.forEach(
        (type, count) -> {
          if (count != 0) {
            copy.put(type, count);
          }
        });
    byType = Collections.unmodifiableMap(copy);
  }

  /** The number of requests of one type. */
  public long of(RequestType type) {
    return byType.getOrDefault(type, 0L);
  }

  /** The number of requests of all types. */
  public long total() {
    return byType.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The number of requests by which the server copied an object or a part of one. */
  public long copies() {
    return of(RequestType.COPY_OBJECT) + of(RequestType.UPLOAD_PART_COPY);
  }

  /** What was counted since an earlier snapshot of the same gateway. */
  public RequestCounts minus(RequestCounts earlier) {
    EnumMap<RequestType, Long> difference = new EnumMap<>(RequestType.class);
    for (RequestType type : RequestType.values()) {
      difference.put(type, of(type) - earlier.of(type));
    }
    return new RequestCounts(
        difference,
        bytesUploaded - earlier.bytesUploaded,
        bytesDownloaded - earlier.bytesDownloaded,
        bytesCopied - earlier.bytesCopied);
  }

  /** The counts under the names of the S3 API, for reports. */
  public Map<String, Long> byApiName() {
    return byType.entrySet().stream()
        .collect(
            Collectors.toMap(
                entry -> entry.getKey().apiName(),
                Map.Entry::getValue,
                Long::sum,
                java.util.LinkedHashMap::new));
  }

  @Override
  public String toString() {
    return total()
        + " requests "
        + byType
        + ", bytes: uploaded "
        + bytesUploaded
        + ", downloaded "
        + bytesDownloaded
        + ", copied by the server "
        + bytesCopied;
  }
}
