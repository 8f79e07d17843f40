package io.zerorename.testing.s3server;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * A bucket behind a counting {@link S3Gateway}, or a directory of one, in which a program measures,
 * and of which nothing is left after {@link #close}: on a server that is started for it, or on any
 * S3.
 *
 * @param gateway counts, delays and breaks the requests of all who use {@code access}
 * @param contents what is in it, by keys below it, asked without counting
 * @param access how processes reach it through the gateway
 */
public record MeasuredBucket(
    S3Gateway gateway, BucketContents contents, String location, S3Access access, Closeable end)
    implements Closeable {

  /** A bucket of a server of its own, which keeps its data in a directory. */
  public static MeasuredBucket ownServer(Path directory, String bucket) throws IOException {
    EmbeddedS3Server server = EmbeddedS3Server.startIn(directory);
    return new MeasuredBucket(
        server.gateway(), server.createBucket(bucket), "s3a://" + bucket, server.access(), server);
  }

  /**
   * A directory of a bucket that exists, with the credentials of the environment.
   *
   * @param endpoint of the region where the bucket is, http or https
   * @param directory in which nothing is yet; it ends in a slash
   * @param console prints what a person has to know of the clean-up
   * @throws IOException if the bucket cannot be listed, the directory holds something, the store
   *     refuses or damages what S3A writes, or settings of the JVM would lead requests past the
   *     gateway
   */
  public static MeasuredBucket at(
      URI endpoint, String region, String bucket, String directory, Consumer<String> console)
      throws IOException {
    return ForeignBucket.open(endpoint, region, bucket, directory, console);
  }

  /** The URI of something in it, for S3A. */
  public String location(String key) {
    return location + "/" + key;
  }

  /** Empties it. May be called again, then without effect. */
  @Override
  public void close() throws IOException {
    end.close();
  }
}
