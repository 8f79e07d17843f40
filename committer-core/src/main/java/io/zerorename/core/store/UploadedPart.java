package io.zerorename.core.store;

import static java.util.Objects.requireNonNull;

/**
 * A part that the store has acknowledged.
 *
 * @param number from 1 to 10,000
 * @param etag as the store returned it, quotes included
 * @param size in bytes
 */
public record UploadedPart(int number, String etag, long size) {
  public UploadedPart {
    requireNonNull(etag, "etag");
    if (number < 1 || number > 10_000) {
      throw new IllegalArgumentException("part number " + number + " is not in 1..10000");
    }
    if (size < 0) {
      throw new IllegalArgumentException("part size " + size + " is negative");
    }
  }
}
