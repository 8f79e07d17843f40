package io.zerorename.core.store;

import java.util.Optional;

/**
 * A part that the store has acknowledged.
 *
 * @param number from 1 to 10,000
 * @param etag as the store returned it, quotes included
 * @param size in bytes
 * @param checksum where the upload's Create has named its algorithm: S3 completes such an upload
 *     only by requests that name it
 */
public record UploadedPart(int number, String etag, long size, Optional<PartChecksum> checksum) {
  public UploadedPart {
    if (number < 1 || number > 10_000) {
      throw new IllegalArgumentException("part number " + number + " is not in 1..10000");
    }
    if (size < 0) {
      throw new IllegalArgumentException("part size " + size + " is negative");
    }
  }

  /** A part without a checksum. */
  public UploadedPart(int number, String etag, long size) {
    this(number, etag, size, Optional.empty());
  }
}
