package io.zerorename.core.store;

import java.util.Map;

/**
 * A part that the store has acknowledged.
 *
 * @param number from 1 to 10,000
 * @param etag as the store returned it, quotes included
 * @param size in bytes
 * @param checksums in Base64, by the names that S3 gives their algorithms, such as {@code CRC32C}:
 *     that of which the upload's Create has named the algorithm, if it has. S3 completes such an
 *     upload only by requests that name it
 */
public record UploadedPart(int number, String etag, long size, Map<String, String> checksums) {
  public UploadedPart {
    checksums = Map.copyOf(checksums);
    if (number < 1 || number > 10_000) {
      throw new IllegalArgumentException("part number " + number + " is not in 1..10000");
    }
    if (size < 0) {
      throw new IllegalArgumentException("part size " + size + " is negative");
    }
  }

  /** A part without a checksum. */
  public UploadedPart(int number, String etag, long size) {
    this(number, etag, size, Map.of());
  }
}
