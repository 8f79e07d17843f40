package io.zerorename.core.store;

/**
 * The checksum with which a part was uploaded.
 *
 * @param algorithm as S3 names it, such as {@code CRC32C}
 * @param value as the store returned it, in Base64
 */
public record PartChecksum(String algorithm, String value) {}
