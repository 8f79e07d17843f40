package io.zerorename.core.store;

import java.time.Instant;

/**
 * An object as a listing shows it.
 *
 * @param size in bytes
 * @param etag as the store returned it, quotes included; null or empty where it returned none
 */
public record ObjectSummary(String key, long size, String etag, Instant lastModified) {
  /** Whether it can be distinguished from another object of that key. */
  public boolean hasEtag() {
    return etag != null && !etag.isEmpty();
  }
}
