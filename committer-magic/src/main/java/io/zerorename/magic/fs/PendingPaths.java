package io.zerorename.magic.fs;

import java.net.URI;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;

/**
 * Translates between an object's destination and the path under which one session writes it. Both
 * have the same key, unless the session's naming gives the object another one; they differ in
 * scheme and authority.
 *
 * @param root of the session's paths
 * @param bucket the root of the destinations
 * @param naming gives a destination its final form
 */
record PendingPaths(Path root, Path bucket, UnaryOperator<Path> naming) {
  /**
   * Paths of a session.
   *
   * @param inBucket any fully qualified path in the bucket
   * @param sessionName makes the authority, the same in every process
   */
  static PendingPaths of(Path inBucket, String sessionName, UnaryOperator<Path> naming) {
    URI uri = inBucket.toUri();
    if (uri.getScheme() == null || uri.getAuthority() == null) {
      throw new IllegalArgumentException(
          ("ZR-2219: cannot write to %s: the destination needs a scheme and a bucket. Qualify the"
                  + " path first, as in s3a://bucket/table")
              .formatted(inBucket));
    }
    // Letters, digits and hyphens after a letter are a host name for every URI parser.
    String authority = "w-" + sessionName.replaceAll("[^A-Za-z0-9]+", "-");
    return new PendingPaths(
        new Path(PendingFileSystem.SCHEME, authority, "/"),
        new Path(uri.getScheme(), uri.getAuthority(), "/"),
        naming);
  }

  Path pendingOf(Path destination) {
    URI uri = destination.toUri();
    if (!Objects.equals(uri.getScheme(), bucket.toUri().getScheme())
        || !Objects.equals(uri.getAuthority(), bucket.toUri().getAuthority())) {
      throw new IllegalArgumentException(
          ("cannot write %s in a session of %s: a session writes to one bucket. Open another"
                  + " session for it")
              .formatted(destination, bucket));
    }
    return below(root, destination);
  }

  /** Where the object of a file will appear. */
  Path destinationOf(Path pending) {
    return naming.apply(below(bucket, pending));
  }

  private static Path below(Path root, Path path) {
    return new Path(root.toUri().getScheme(), root.toUri().getAuthority(), path.toUri().getPath());
  }
}
