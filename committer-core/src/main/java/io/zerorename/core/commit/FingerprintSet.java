package io.zerorename.core.commit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * A set of texts, such as locations of objects, that takes 16 bytes for each, and as much again to
 * stay sparse: a job of a million files has to know which it writes. It keeps 128 bits of the
 * SHA-256 of each text, so that two are never taken for one. Thread-safe.
 */
final class FingerprintSet {
  private static final int FIRST_CAPACITY = 64;

  /** In place of the second half of a fingerprint that was removed: those are odd. */
  private static final long REMOVED = 2;

  /** Two per text; both zero where there is none. */
  private long[] table = new long[2 * FIRST_CAPACITY];

  private int size;

  /** Adds a text; false where it was in the set. */
  boolean add(String text) {
    ByteBuffer digest = digest(text);
    long high = digest.getLong();
    long low = digest.getLong() | 1;
    synchronized (this) {
      if (4L * size >= table.length) {
        grow();
      }
      int slot = slot(table, high, low);
      if (table[slot + 1] != 0) {
        return false;
      }
      table[slot] = high;
      table[slot + 1] = low;
      size++;
      return true;
    }
  }

  /** Removes a text, if it is in the set. None may be added afterwards. */
  void remove(String text) {
    ByteBuffer digest = digest(text);
    synchronized (this) {
      int slot = slot(table, digest.getLong(0), digest.getLong(Long.BYTES) | 1);
      if (table[slot + 1] != 0) {
        table[slot + 1] = REMOVED;
        size--;
      }
    }
  }

  boolean contains(String text) {
    ByteBuffer digest = digest(text);
    synchronized (this) {
      return table[slot(table, digest.getLong(0), digest.getLong(Long.BYTES) | 1) + 1] != 0;
    }
  }

  synchronized int size() {
    return size;
  }

  private void grow() {
    long[] larger = new long[Math.multiplyExact(table.length, 2)];
    for (int i = 0; i < table.length; i += 2) {
      if (table[i + 1] != 0) {
        int slot = slot(larger, table[i], table[i + 1]);
        larger[slot] = table[i];
        larger[slot + 1] = table[i + 1];
      }
    }
    Arrays.fill(table, 0);
    table = larger;
  }

  /** Of the fingerprint, or of the gap where it belongs. */
  private static int slot(long[] table, long high, long low) {
    int mask = table.length / 2 - 1;
    int index = (int) high & mask;
    while (table[2 * index + 1] != 0
        && !(table[2 * index] == high && table[2 * index + 1] == low)) {
      index = (index + 1) & mask;
    }
    return 2 * index;
  }

  private static ByteBuffer digest(String text) {
    try {
      return ByteBuffer.wrap(
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
