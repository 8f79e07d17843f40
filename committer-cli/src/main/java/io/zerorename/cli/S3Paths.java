package io.zerorename.cli;

import io.zerorename.core.config.S3AFileSystems;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;

/** Reads paths that a user has typed. */
public final class S3Paths {
  private static final String EXAMPLE = "; give a path such as s3a://bucket/warehouse/db.db/table";

  private S3Paths() {}

  /**
   * A path on S3A, whatever its scheme is called.
   *
   * @throws InputException where it is none
   */
  public static Path read(String text, Configuration conf) throws IOException {
    Path path = path(text);
    if (path.toUri().getScheme() == null || !isOnS3A(path, conf)) {
      throw new InputException(text + " is not on S3A" + EXAMPLE);
    }
    if (path.toUri().getAuthority() == null) {
      throw new InputException(text + " names no bucket" + EXAMPLE);
    }
    return path;
  }

  /**
   * Any path.
   *
   * @throws InputException where it is none
   */
  public static Path path(String text) {
    try {
      return new Path(text);
    } catch (IllegalArgumentException e) {
      throw new InputException("'" + text + "' is not a path: " + e.getMessage() + EXAMPLE, e);
    }
  }

  private static boolean isOnS3A(Path path, Configuration conf) throws IOException {
    try {
      return S3AFileSystems.holds(path, conf);
    } catch (UnsupportedFileSystemException e) {
      return false;
    }
  }
}
