package io.zerorename.core.store;

import java.util.Map;

/**
 * An object's size in bytes, its ETag as the store returned it, and its user metadata (names in
 * lower case, without the {@code x-amz-meta-} prefix).
 */
public record ObjectHead(long size, String etag, Map<String, String> metadata) {
  public ObjectHead {
    metadata = Map.copyOf(metadata);
  }
}
