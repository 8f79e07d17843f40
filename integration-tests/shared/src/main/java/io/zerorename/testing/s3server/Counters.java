package io.zerorename.testing.s3server;

import java.util.EnumMap;
import java.util.Map;

/** What a gateway counts while its connections run. */
final class Counters {
  private final Map<RequestType, Long> byType = new EnumMap<>(RequestType.class);
  private long bytesUploaded;
  private long bytesDownloaded;
  private long bytesCopied;

  synchronized void request(RequestType type) {
    byType.merge(type, 1L, Long::sum);
  }

  synchronized void uploaded(long bytes) {
    bytesUploaded += bytes;
  }

  synchronized void downloaded(long bytes) {
    bytesDownloaded += bytes;
  }

  synchronized void copied(long bytes) {
    bytesCopied += bytes;
  }

  synchronized RequestCounts snapshot() {
    return new RequestCounts(byType, bytesUploaded, bytesDownloaded, bytesCopied);
  }
}
