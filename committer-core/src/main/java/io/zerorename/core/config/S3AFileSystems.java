package io.zerorename.core.config;

import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Says which paths are on S3A, whatever their scheme is called: clusters map {@code s3} and {@code
 * s3n} to it as well. It neither connects to a store nor needs hadoop-aws on the class path.
 */
public final class S3AFileSystems {
  private static final String S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem";

  private S3AFileSystems() {}

  /**
   * Whether a path is on S3A.
   *
   * @param path whose scheme, or the default file system's where it has none, is checked
   * @throws IOException where no file system has the scheme
   */
  public static boolean holds(Path path, Configuration configuration) throws IOException {
    URI uri = path.toUri();
    String scheme =
        uri.getScheme() == null
            ? FileSystem.getDefaultUri(configuration).getScheme()
            : uri.getScheme();
    Class<?> type = FileSystem.getFileSystemClass(scheme, configuration);
    return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
        .anyMatch(it -> it.getName().equals(S3A));
  }

  /** Where a bucket is, empty for AWS: one of the same name at another endpoint is another. */
  public static String endpointOf(String bucket, Configuration configuration) {
    return configuration.getTrimmed(
        "fs.s3a.bucket." + bucket + ".endpoint", configuration.getTrimmed("fs.s3a.endpoint", ""));
  }
}
