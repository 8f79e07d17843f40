package io.zerorename.testing.sparksuites;

import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A directory of this machine whose files are objects of a real S3 server, each under its absolute
 * path as key: Java and S3A see and write the same. Uploads that are not complete lie elsewhere.
 *
 * <p>The server keeps a bucket in a directory. A symbolic link in it, under the key of this
 * directory, leads here.
 */
final class DirectoryOnS3 implements Closeable {
  private static final String BUCKET = "suites";

  private final Path path;
  private final EmbeddedS3Server s3;

  private DirectoryOnS3(Path path, EmbeddedS3Server s3) {
    this.path = path;
    this.s3 = s3;
  }

  static DirectoryOnS3 create() throws IOException {
    Path path = Files.createTempDirectory("ss-").toRealPath();
    // The server would remove the link with the last object below it, if it had not this mark.
    Files.setAttribute(path, DirectoryOnS3Agent.MARK, new byte[16]);
    Path ofServer = Files.createTempDirectory("zerorename-s3-");
    EmbeddedS3Server s3 = EmbeddedS3Server.startIn(ofServer);
    s3.createBucket(BUCKET);
    Path link = ofServer.resolve("data").resolve(BUCKET).resolve(path.toString().substring(1));
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, path);
    return new DirectoryOnS3(path, s3);
  }

  Path path() {
    return path;
  }

  String bucketUri() {
    return "s3a://" + BUCKET;
  }

  S3Gateway gateway() {
    return s3.gateway();
  }

  /** A core-site.xml that makes the bucket the default file system. */
  String coreSite() {
    Map<String, String> settings = new TreeMap<>(s3.hadoopSettings());
    settings.put("fs.defaultFS", bucketUri());
    settings.put("fs.s3a.change.detection.version.required", "false");
    return settings.entrySet().stream()
        .map(
            it ->
                "<property><name>%s</name><value>%s</value></property>\n"
                    .formatted(it.getKey(), it.getValue()))
        .collect(Collectors.joining("", "<configuration>\n", "</configuration>\n"));
  }

  /** Deletes what is in the directory. */
  void clear() throws IOException {
    try (Stream<Path> walk = Files.walk(path)) {
      for (Path each : walk.sorted(Comparator.reverseOrder()).toList()) {
        if (!each.equals(path)) {
          Files.deleteIfExists(each);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    s3.close();
    clear();
    Files.delete(path);
  }
}
