package io.zerorename.core.store;

import java.util.Objects;
import org.apache.hadoop.fs.Path;

/** How a path on S3A names an object: the path without its leading slash, not percent-encoded. */
public final class ObjectKeys {
  /** With which the names of S3's directory buckets end, and those of no others. */
  private static final String DIRECTORY_BUCKET = "--x-s3";

  private ObjectKeys() {}

  /** The key of the object at a path; empty for the root of the bucket. */
  public static String of(Path path) {
    String key = path.toUri().getPath();
    return key.startsWith("/") ? key.substring(1) : key;
  }

  /** The bucket of a fully qualified path. */
  public static String bucketOf(Path path) {
    return path.toUri().getAuthority();
  }

  /**
   * Whether a path is in a directory bucket (S3 Express One Zone), which lists keys in no order.
   * The committer writes to none.
   */
  public static boolean isInDirectoryBucket(Path path) {
    String bucket = bucketOf(path);
    return bucket != null && bucket.endsWith(DIRECTORY_BUCKET);
  }

  /** Whether a path is a directory or lies below it, by whatever scheme either is written. */
  public static boolean isAtOrBelow(Path path, Path directory) {
    return Objects.equals(path.toUri().getAuthority(), directory.toUri().getAuthority())
        && (of(path) + "/").startsWith(prefixOf(directory));
  }

  /** The bucket of any path in it, and a key in it, in one word. */
  public static String located(Path inBucket, String key) {
    return bucketOf(inBucket) + "/" + key;
  }

  /** The prefix of all keys below a directory; empty for the root of the bucket. */
  public static String prefixOf(Path directory) {
    String key = of(directory);
    return key.isEmpty() || key.endsWith("/") ? key : key + "/";
  }
}
