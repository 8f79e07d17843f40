package io.zerorename.cli;

import io.zerorename.core.config.S3AFileSystems;
import java.io.IOException;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parses paths of the command line. */
final class S3Paths {
  private static final Logger LOG = LoggerFactory.getLogger(S3Paths.class);
  private static final String EXAMPLE = "; give a path such as s3a://bucket/warehouse/db.db/table";

  /** A secret may have a slash in it, and no bucket has a colon. */
  private static final Pattern LOGIN = Pattern.compile("^(s3[an]?://[^/]*:|[^/:]+://[^/]*@)");

  private S3Paths() {}

  /**
   * A path on S3A, under any scheme.
   *
   * @throws InputException if it is none
   */
  static Path read(String text, Configuration conf) {
    Path path = path(text);
    if (path.toUri().getScheme() == null || !isOnS3a(path, conf)) {
      throw new InputException("ZR-9114: " + text + " is not on S3A" + EXAMPLE);
    }
    if (path.toUri().getAuthority() == null) {
      throw new InputException("ZR-9115: " + text + " names no bucket" + EXAMPLE);
    }
    return path;
  }

  /** Whether a path is on S3A; not where no file system has its scheme. */
  static boolean isOnS3a(Path path, Configuration conf) {
    try {
      return S3AFileSystems.holds(path, conf);
    } catch (IOException e) {
      LOG.debug("There is no file system for {}", path, e);
      return false;
    }
  }

  private static Path path(String text) {
    if (LOGIN.matcher(text).find()) {
      // The message must not repeat the secret.
      throw new InputException(
          "ZR-9116: The path has login details before its bucket; leave them out, and set"
              + " fs.s3a.aws.credentials.provider or hadoop.security.credential.provider.path"
              + EXAMPLE);
    }
    try {
      return new Path(text);
    } catch (IllegalArgumentException e) {
      throw new InputException(
          "ZR-9117: '" + text + "' is not a path: " + e.getMessage() + EXAMPLE, e);
    }
  }

  /** Removes login details from a message. */
  static String withoutLogin(String message) {
    return message.replaceAll("://\\S*@", "://…@");
  }
}
