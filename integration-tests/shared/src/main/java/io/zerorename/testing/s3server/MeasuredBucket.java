package io.zerorename.testing.s3server;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A bucket behind a counting {@link S3Gateway}, or a directory of one, in which a program measures,
 * and of which nothing is left after {@link #close}: on a server that is started for it, or on any
 * S3.
 */
public final class MeasuredBucket implements Closeable {
  private static final long CLEAN_UP_MINUTES = 10;

  private final S3Gateway gateway;
  private final BucketContents contents;
  private final String location;
  private final S3Access access;
  private final Closeable end;
  private boolean closed;

  private MeasuredBucket(
      S3Gateway gateway, BucketContents contents, String location, S3Access access, Closeable end) {
    this.gateway = gateway;
    this.contents = contents;
    this.location = location;
    this.access = access;
    this.end = end;
  }

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
   * @param console is told what is left if the JVM ends before {@link #close}
   * @throws IOException if the bucket cannot be listed, or the directory holds something
   */
  public static MeasuredBucket at(
      URI endpoint, String region, String bucket, String directory, Consumer<String> console)
      throws IOException {
    for (String name : List.of("NO_PROXY", "no_proxy")) {
      if (System.getenv(name) != null) {
        throw new IOException(
            name + " is set, with which requests do not go through the gateway; unset it");
      }
    }
    S3Client client =
        S3Client.builder()
            .endpointOverride(endpoint)
            .region(Region.of(region))
            .forcePathStyle(true)
            .credentialsProvider(EnvironmentVariableCredentialsProvider.create())
            .httpClientBuilder(ApacheHttpClient.builder().expectContinueEnabled(false))
            .build();
    BucketContents contents = new BucketContents(client, bucket, directory);
    String location = "s3a://" + bucket + "/" + directory.substring(0, directory.length() - 1);
    try {
      if (!contents.objects("").isEmpty()) {
        throw new IOException(location + " is not empty; nothing was written to it");
      }
      S3Gateway gateway = S3Gateway.start(endpoint, new UncountedRequests(client, false));
      MeasuredBucket measured =
          new MeasuredBucket(
              gateway,
              contents,
              location,
              new S3Access(settings(endpoint, region, gateway), credentials()),
              () -> end(gateway, client, contents, location));
      // For Ctrl-C; the JVM's end by halt runs no hooks. File systems come first, because they
      // delete their temporary files and try for half a minute where nobody answers.
      ShutdownHookManager.get()
          .addShutdownHook(
              () -> measured.closeAtExit(console),
              FileSystem.SHUTDOWN_HOOK_PRIORITY - 1,
              CLEAN_UP_MINUTES,
              TimeUnit.MINUTES);
      return measured;
    } catch (SdkException e) {
      client.close();
      throw new IOException(
          "the bucket " + bucket + " cannot be listed at " + endpoint + ": " + e.getMessage(), e);
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  /** The endpoint stays the server's, because clients sign its name. */
  private static Map<String, String> settings(URI endpoint, String region, S3Gateway gateway) {
    Map<String, String> settings = new HashMap<>(EmbeddedS3Server.commonSettings(region));
    settings.put("fs.s3a.endpoint", "http://" + endpoint.getRawAuthority());
    settings.put("fs.s3a.proxy.host", gateway.endpoint().getHost());
    settings.put("fs.s3a.proxy.port", String.valueOf(gateway.endpoint().getPort()));
    return settings;
  }

  private static Map<String, String> credentials() {
    return Stream.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        .filter(name -> System.getenv(name) != null)
        .collect(Collectors.toMap(name -> name, System::getenv));
  }

  private static void end(
      S3Gateway gateway, S3Client client, BucketContents contents, String location)
      throws IOException {
    // First, so that nobody writes any more.
    gateway.close();
    try (client) {
      contents.clear("");
      int left = contents.objects("").size() + contents.pendingUploads("").size();
      if (left > 0) {
        throw new IOException(
            "%d objects and pending uploads are left in %s; remove them".formatted(left, location));
      }
    } catch (SdkException | IllegalStateException e) {
      throw new IOException(
          "%s could not be emptied: %s. Remove what is in it, pending uploads too"
              .formatted(location, e.getMessage()),
          e);
    }
  }

  private void closeAtExit(Consumer<String> console) {
    try {
      close();
    } catch (IOException e) {
      console.accept(e.getMessage());
    }
  }

  /** Counts, delays and breaks the requests of all who use {@link #access}. */
  public S3Gateway gateway() {
    return gateway;
  }

  /** What is in it, by keys below it, asked without counting. */
  public BucketContents contents() {
    return contents;
  }

  /** The URI of something in it, for S3A. */
  public String location(String key) {
    return location + "/" + key;
  }

  /** How processes reach it through the gateway. */
  public S3Access access() {
    return access;
  }

  /** Empties it. May be called again, then without effect. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      end.close();
    }
  }
}
