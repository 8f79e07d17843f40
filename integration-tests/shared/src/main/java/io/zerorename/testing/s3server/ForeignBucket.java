package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ShutdownHookManager;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.http.apache.ProxyConfiguration;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A directory of a bucket that exists on some S3, with the credentials of the environment, behind a
 * gateway. It is empty before, and after {@link #close}, also after a signal that ends the JVM.
 */
final class ForeignBucket implements Closeable {
  private static final String TRIAL = "trial";
  private static final long CLEAN_UP_MINUTES = 10;

  /** After which the store has ended what it was doing when its clients went. */
  private static final long SETTLING_MILLIS = 1_000;

  private final S3Client client;
  private final S3Gateway gateway;
  private final BucketContents contents;
  private final String location;
  private final Consumer<String> console;
  private boolean closed;

  private ForeignBucket(
      S3Client client,
      S3Gateway gateway,
      BucketContents contents,
      String location,
      Consumer<String> console) {
    this.client = client;
    this.gateway = gateway;
    this.contents = contents;
    this.location = location;
    this.console = console;
  }

  /** See {@link MeasuredBucket#at}. */
  static MeasuredBucket open(
      URI endpoint, String region, String bucket, String directory, Consumer<String> console)
      throws IOException {
    refuseBypass();
    S3Client client = client(endpoint, region);
    BucketContents contents = new BucketContents(client, bucket, directory);
    String location = "s3a://" + bucket + "/" + directory.substring(0, directory.length() - 1);
    try {
      if (!contents.objects("").isEmpty()) {
        throw new IOException(location + " is not empty; nothing was written to it");
      }
      if (contents.keepsVersions()) {
        console.accept(
            "The bucket %s keeps versions: what this run deletes goes on costing storage there."
                .formatted(bucket));
      }
      S3Gateway gateway = S3Gateway.start(endpoint, new UncountedRequests(client, false));
      ForeignBucket end = new ForeignBucket(client, gateway, contents, location, console);
      end.closeAtExit();
      MeasuredBucket opened =
          new MeasuredBucket(
              gateway, contents, location, access(endpoint, region, gateway.endpoint()), end);
      refuseDamage(opened, endpoint);
      return opened;
    } catch (SdkException e) {
      client.close();
      throw new IOException(
          "the bucket " + bucket + " cannot be listed at " + endpoint + ": " + e.getMessage(), e);
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  /** Clients that go past their proxy are not counted, and speak HTTP to a server of HTTPS. */
  private static void refuseBypass() throws IOException {
    for (String variable : List.of("NO_PROXY", "no_proxy")) {
      if (System.getenv(variable) != null) {
        throw new IOException(
            variable + " is set, with which requests do not go through the gateway; unset it");
      }
    }
  }

  private static S3Client client(URI endpoint, String region) {
    return S3Client.builder()
        .endpointOverride(endpoint)
        .region(Region.of(region))
        .forcePathStyle(true)
        .credentialsProvider(EnvironmentVariableCredentialsProvider.create())
        .httpClientBuilder(
            ApacheHttpClient.builder()
                .expectContinueEnabled(false)
                // As the gateway, which knows no proxies.
                .proxyConfiguration(
                    ProxyConfiguration.builder()
                        .useEnvironmentVariableValues(false)
                        .useSystemPropertyValues(false)
                        .build()))
        .build();
  }

  /** The endpoint stays the server's, because clients sign its name. */
  private static S3Access access(URI endpoint, String region, URI proxy) {
    Map<String, String> settings = new HashMap<>(EmbeddedS3Server.commonSettings(region));
    settings.put("fs.s3a.endpoint", "http://" + endpoint.getRawAuthority());
    settings.put("fs.s3a.proxy.host", proxy.getHost());
    settings.put("fs.s3a.proxy.port", String.valueOf(proxy.getPort()));
    return new S3Access(
        settings,
        Stream.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
            .filter(name -> System.getenv(name) != null)
            .collect(Collectors.toMap(name -> name, System::getenv)));
  }

  /**
   * Has S3A write a file, and compares what lies there: an engine would write for minutes before it
   * gives up, or its rows would be wrong.
   */
  private static void refuseDamage(MeasuredBucket bucket, URI endpoint) throws IOException {
    Configuration conf = new Configuration();
    bucket.access().settings().forEach(conf::set);
    conf.set("fs.s3a.fast.upload.buffer", "bytebuffer");
    conf.set("fs.s3a.attempts.maximum", "2");
    conf.set("fs.s3a.retry.limit", "1");
    byte[] sent = "what S3A sends".getBytes(UTF_8);
    String problem = "";
    Path file = new Path(bucket.location(TRIAL));
    try (FileSystem s3a = FileSystem.newInstance(file.toUri(), conf)) {
      try (OutputStream out = s3a.create(file)) {
        out.write(sent);
      }
      byte[] there = bucket.contents().read(TRIAL);
      if (!Arrays.equals(there, sent)) {
        problem = "of %d bytes it keeps %d others".formatted(sent.length, there.length);
      }
    } catch (IOException | SdkException e) {
      problem = e.getMessage();
    }
    if (!problem.isEmpty()) {
      bucket.close();
      throw new IOException(
          endpoint
              + " does not take what S3A writes by way of the gateway that counts: "
              + problem
              + ". S3A speaks HTTP to the gateway, also where this endpoint is HTTPS, and so signs"
              + " each part of a body, which some stores refuse or keep with the data. Nothing was"
              + " measured. Check the right to write there, or use a newer version of the store;"
              + " zerorename doctor shows what it does over HTTPS.");
    }
    bucket.contents().clear(TRIAL);
  }

  /** For Ctrl-C; the JVM's end by halt runs no hooks. */
  private void closeAtExit() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  if (!isClosed()) {
                    console.accept(
                        "Stopping: " + location + " is emptied when the engine has ended; wait.");
                  }
                },
                "bucket-notice"));
    // File systems come first, because they delete their temporary files, and try for half a minute
    // if no server answers.
    ShutdownHookManager.get()
        .addShutdownHook(
            () -> {
              try {
                close();
              } catch (IOException e) {
                // The console has it.
              }
            },
            EmbeddedS3Server.AFTER_FILE_SYSTEMS,
            CLEAN_UP_MINUTES,
            TimeUnit.MINUTES);
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    // First, so that no client writes any more.
    gateway.close();
    Set<String> failures = new LinkedHashSet<>();
    try (client) {
      empty(failures);
      TimeUnit.MILLISECONDS.sleep(SETTLING_MILLIS);
      empty(failures);
      attempt(failures, () -> refuseLeft(failures));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failures.add("interrupted");
    }
    if (!failures.isEmpty()) {
      String message =
          "%s could not be emptied: %s. Remove what is in it, and abort pending uploads."
              .formatted(location, String.join("; ", failures));
      console.accept(message);
      throw new IOException(message);
    }
    console.accept(
        String.format(
            Locale.ROOT,
            "%s is empty again, after %,d requests",
            location,
            gateway.counts().total()));
  }

  private void empty(Set<String> failures) {
    attempt(failures, () -> contents.deleteObjects(""));
    attempt(failures, () -> contents.abortUploads(""));
  }

  private void refuseLeft(Set<String> failures) {
    int left = contents.objects("").size() + contents.pendingUploads("").size();
    if (left > 0 && failures.isEmpty()) {
      failures.add(left + " objects and pending uploads are left");
    }
  }

  private static void attempt(Set<String> failures, Runnable step) {
    try {
      step.run();
    } catch (SdkException | IllegalStateException e) {
      failures.add(e.getMessage());
    }
  }
}
