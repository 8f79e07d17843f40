package io.zerorename.core.store;

import static java.util.Objects.requireNonNull;

/**
 * The checksum with which a part was uploaded.
 *
 * @param algorithm as S3 names it, such as {@code CRC32C}
 * @param value as the store returned it, in Base64
 */
public record PartChecksum(String algorithm, String value) {
  public PartChecksum {
    requireNonNull(algorithm, "algorithm");
    requireNonNull(value, "value");
  }
}
