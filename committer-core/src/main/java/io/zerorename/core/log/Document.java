package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A document of a plan, as its entry names it.
 *
 * @param name among the records of the destination
 * @param sha256 of its bytes, in hexadecimal
 */
public record Document(String name, String sha256) {
  public Document {
    requireNonNull(name, "name");
    requireNonNull(sha256, "sha256");
  }

  static Document of(String name, byte[] bytes) {
    return new Document(name, sha256(bytes));
  }

  /** Whether some bytes are those that were written. */
  boolean is(byte[] bytes) {
    return sha256(bytes).equals(sha256);
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
