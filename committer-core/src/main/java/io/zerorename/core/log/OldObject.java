package io.zerorename.core.log;

import java.time.Instant;
import org.apache.hadoop.fs.Path;

/**
 * An object that an overwrite replaces, as it was when the commit was planned.
 *
 * @param bucket the root of the object's bucket
 * @param key as the store lists it; a {@link Path} would lose a slash at its end
 * @param lastModified part of the identity, because the ETag of a plain PUT is only a hash of the
 *     content
 */
public record OldObject(Path bucket, String key, String etag, Instant lastModified) {
  /** Where it lies; a marker is its directory. */
  public Path directory() {
    Path path = new Path(bucket, "/" + key);
    return key.endsWith("/") ? path : path.getParent();
  }
}
