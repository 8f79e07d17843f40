package io.zerorename.testing.s3server;

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A real S3 server on loopback with a counting {@link S3Gateway} in front, gone without a trace
 * after {@link #close}.
 *
 * <p>Unlike S3, it lists the bytes of a PutObject that is still arriving or was cut off, as an
 * object with a UUID behind the key.
 *
 * <p>It checks signatures: {@link #ACCESS_KEY} and {@link #SECRET_KEY} are the only credentials,
 * and refuses encryption, unless {@linkplain #startTakingEncryption started} otherwise.
 */
public final class EmbeddedS3Server implements Closeable {
  public static final String ACCESS_KEY = "zerorename-test";
  public static final String SECRET_KEY = "zerorename-test-secret";
  public static final String REGION = "us-east-1";

  static final int AFTER_FILE_SYSTEMS = FileSystem.SHUTDOWN_HOOK_PRIORITY - 1;

  private final Path directory;
  private final RunningServer process;
  private final S3Client backendClient;
  private final S3Gateway gateway;

  /** Whether the process may serve the next user. */
  private volatile boolean kept;

  private boolean closed;

  private EmbeddedS3Server(
      Path directory, RunningServer process, S3Client backendClient, S3Gateway gateway) {
    this.directory = directory;
    this.process = process;
    this.backendClient = backendClient;
    this.gateway = gateway;
  }

  /**
   * Starts without any data. Of S3Proxy a process that an earlier user of this JVM has closed
   * serves again; a new one takes some seconds.
   */
  public static EmbeddedS3Server start() throws IOException {
    Optional<IdleServers.Server> idle = IdleServers.take();
    EmbeddedS3Server server =
        idle.isPresent()
            ? start(idle.get().directory(), idle.get().process())
            : startIn(Files.createTempDirectory("zerorename-s3-"));
    server.kept = OtherServer.selected().isEmpty();
    return server;
  }

  /**
   * Starts a server that takes requests for encryption and what else only AWS has, and stores
   * without. It does not check signatures, so that it takes any credentials, temporary ones too.
   */
  public static EmbeddedS3Server startTakingEncryption() throws IOException {
    Path directory = Files.createTempDirectory("zerorename-s3-");
    EmbeddedS3Server server = start(directory, S3Proxy.start(directory));
    server.gateway.storeInPlainText();
    return server;
  }

  /** Starts a server that has two names for one bucket, as AWS has aliases of access points. */
  public static EmbeddedS3Server startWithAlias(String alias, String bucket) throws IOException {
    Path directory = Files.createTempDirectory("zerorename-s3-");
    return start(
        directory,
        S3Proxy.start(
            directory, ACCESS_KEY, SECRET_KEY, "s3proxy.alias-blobstore." + alias + "=" + bucket));
  }

  /**
   * Starts with its data in a directory, which {@link #close} deletes: S3Proxy, or the {@linkplain
   * OtherServer#selected selected} server.
   */
  public static EmbeddedS3Server startIn(Path directory) throws IOException {
    requireNonNull(directory, "directory");
    Optional<OtherServer> other = OtherServer.selected();
    return start(
        directory,
        other.isPresent()
            ? other.get().start(directory.resolve(S3Proxy.DATA), ACCESS_KEY, SECRET_KEY)
            : S3Proxy.start(directory, ACCESS_KEY, SECRET_KEY));
  }

  private static EmbeddedS3Server start(Path directory, RunningServer process) throws IOException {
    S3Client backendClient = client(process.endpoint());
    S3Gateway gateway = S3Gateway.start(process.endpoint(), uncounted(backendClient));
    EmbeddedS3Server server = new EmbeddedS3Server(directory, process, backendClient, gateway);
    // Not every user closes its server: one that all test classes of a JVM share has no last user.
    // It must outlive Hadoop's file systems, which delete their temporary files on exit and try for
    // half a minute where nobody answers.
    ShutdownHookManager.get().addShutdownHook(server::closeAtExit, AFTER_FILE_SYSTEMS);
    return server;
  }

  /** Counts, delays and breaks the requests of all clients but {@link #backendClient}. */
  public S3Gateway gateway() {
    return gateway;
  }

  /**
   * Opens a further gateway, to be closed by the caller, whose counts and faults are its own.
   *
   * @see #hadoopSettings(S3Gateway)
   */
  public S3Gateway newGateway() throws IOException {
    return newGateway(InetAddress.getLoopbackAddress());
  }

  /** The same at another address of this host, for clients on other hosts. */
  public S3Gateway newGateway(InetAddress address) throws IOException {
    // It is for processes that are killed, of whose requests the server may still do some.
    kept = false;
    return S3Gateway.start(process.endpoint(), uncounted(backendClient), address);
  }

  private static UncountedRequests uncounted(S3Client backendClient) {
    return new UncountedRequests(backendClient, OtherServer.selected().isEmpty());
  }

  /** Where clients connect; their requests are counted. */
  public URI endpoint() {
    return gateway.endpoint();
  }

  /** A client whose requests are neither counted nor disturbed, for assertions. */
  public S3Client backendClient() {
    return backendClient;
  }

  /** Creates a bucket without counting. */
  public BucketContents createBucket(String name) {
    backendClient.createBucket(request -> request.bucket(name));
    return contents(name);
  }

  /** What a bucket holds, asked without counting. */
  public BucketContents contents(String bucket) {
    return new BucketContents(backendClient, bucket);
  }

  /** The process id of the server behind the gateway. */
  public long serverPid() {
    return process.pid();
  }

  /** The settings of S3A that lead to the gateway, credentials included. */
  public Map<String, String> hadoopSettings() {
    return hadoopSettings(gateway);
  }

  /** The settings of S3A that lead to this gateway, credentials included. */
  public Map<String, String> hadoopSettings(S3Gateway way) {
    Map<String, String> settings = new TreeMap<>(hadoopSettingsWithoutSecrets(way));
    settings.put(
        "fs.s3a.aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
    settings.put("fs.s3a.access.key", ACCESS_KEY);
    settings.put("fs.s3a.secret.key", SECRET_KEY);
    return settings;
  }

  /**
   * The settings of S3A that lead to the gateway, for a process that has {@link #environment} set;
   * Hive removes secrets from the configuration of its tasks.
   */
  public Map<String, String> hadoopSettingsWithoutSecrets() {
    return hadoopSettingsWithoutSecrets(gateway);
  }

  /** The same for the way through this gateway. */
  public Map<String, String> hadoopSettingsWithoutSecrets(S3Gateway way) {
    Map<String, String> settings = new TreeMap<>(commonSettings(REGION));
    settings.put("fs.s3a.endpoint", way.endpoint().toString());
    return settings;
  }

  /** The settings of S3A that do not depend on the server, to which a gateway leads. */
  static Map<String, String> commonSettings(String region) {
    return Map.of(
        "fs.s3a.endpoint.region", region,
        "fs.s3a.path.style.access", "true",
        "fs.s3a.connection.ssl.enabled", "false",
        "fs.s3a.connection.expect.continue", "false",
        "fs.s3a.aws.credentials.provider",
            "software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider");
  }

  /** How another process reaches the gateway. */
  public S3Access access() {
    return access(gateway);
  }

  /** How another process reaches this gateway. */
  public S3Access access(S3Gateway way) {
    return new S3Access(hadoopSettingsWithoutSecrets(way), environment());
  }

  /** The environment variables that carry the credentials. */
  public static Map<String, String> environment() {
    return Map.of("AWS_ACCESS_KEY_ID", ACCESS_KEY, "AWS_SECRET_ACCESS_KEY", SECRET_KEY);
  }

  /**
   * Stops the gateway, deletes the data, and ends the server or keeps it for {@link #start}. May be
   * called again, then without effect.
   */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    boolean quiet = gateway.isQuiet();
    gateway.close();
    backendClient.close();
    IdleServers.Server server = new IdleServers.Server(directory, process);
    if (kept && quiet) {
      IdleServers.add(server);
    } else {
      server.end();
    }
  }

  private void closeAtExit() {
    kept = false;
    try {
      close();
    } catch (IOException e) {
      System.err.println("the embedded S3 server's data is left in " + directory + ": " + e);
    }
  }

  private static S3Client client(URI endpoint) {
    return S3Client.builder()
        .endpointOverride(endpoint)
        .region(Region.of(REGION))
        .forcePathStyle(true)
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY)))
        .httpClientBuilder(ApacheHttpClient.builder().expectContinueEnabled(false))
        .build();
  }
}
