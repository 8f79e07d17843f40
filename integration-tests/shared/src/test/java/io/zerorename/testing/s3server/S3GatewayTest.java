package io.zerorename.testing.s3server;

import static io.zerorename.testing.s3server.FaultRule.first;
import static io.zerorename.testing.s3server.FaultRule.type;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** The gateway in front of the embedded server, through the clients that are used for real. */
class S3GatewayTest {
  private static final String BUCKET = "gateway-test";
  private static EmbeddedS3Server server;
  private static BucketContents contents;

  private S3Client client;
  private RequestCounts before;

  @BeforeAll
  static void startServer() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(BUCKET);
  }

  @AfterAll
  static void stopServer() throws IOException {
    server.close();
  }

  @BeforeEach
  void connect() {
    client = client(server.endpoint(), 0, EmbeddedS3Server.SECRET_KEY);
    before = server.gateway().counts();
  }

  @AfterEach
  void clear() {
    server.gateway().faults(FaultRule.NONE);
    server.gateway().latency(Latency.NONE);
    client.close();
    contents.clear("");
  }

  @Test
  void anUploadWithChecksumsIsNotCompletedWithoutThem() {
    String id =
        client
            .createMultipartUpload(
                r -> r.bucket(BUCKET).key("k").checksumAlgorithm(ChecksumAlgorithm.SHA256))
            .uploadId();
    assertThatThrownBy(() -> uploadPart(id, null)).hasMessageContaining("Checksum Type mismatch");
    UploadPartResponse part = uploadPart(id, ChecksumAlgorithm.SHA256);
    CompletedPart named =
        CompletedPart.builder()
            .partNumber(1)
            .eTag(part.eTag())
            .checksumSHA256(part.checksumSHA256())
            .build();
    assertThatThrownBy(() -> complete(id, named.toBuilder().checksumSHA256(null).build()))
        .hasMessageContaining("It was missing for part 1");
    assertThatThrownBy(() -> complete(id, named.toBuilder().checksumSHA256("AAAA").build()))
        .hasMessageContaining("could not be found");
    complete(id, named);
    assertThat(contents.files("")).containsExactly("k");
  }

  private UploadPartResponse uploadPart(String id, ChecksumAlgorithm algorithm) {
    return client.uploadPart(
        r -> r.bucket(BUCKET).key("k").uploadId(id).partNumber(1).checksumAlgorithm(algorithm),
        RequestBody.fromString("x"));
  }

  private void complete(String id, CompletedPart part) {
    client.completeMultipartUpload(
        r -> r.bucket(BUCKET).key("k").uploadId(id).multipartUpload(m -> m.parts(part)));
  }

  /** S3Proxy deletes ten keys of a request at a time, and its directories are its markers. */
  @Test
  void aDirectoryIsGoneWhenItsMarkerAndItsFilesAreDeletedTogether() {
    List<String> keys = List.of("d/m/", "d/m/n/", "d/m/n/a", "d/m/b");
    for (int round = 0; round < 20; round++) {
      keys.forEach(key -> client.putObject(r -> r.bucket(BUCKET).key(key), RequestBody.empty()));
      client.deleteObjects(
          r ->
              r.bucket(BUCKET)
                  .delete(
                      d ->
                          d.objects(
                              keys.stream()
                                  .map(key -> ObjectIdentifier.builder().key(key).build())
                                  .toList())));
      assertThat(
              client
                  .listObjectsV2(r -> r.bucket(BUCKET).prefix("d/").delimiter("/"))
                  .commonPrefixes())
          .as("directories after round %s", round)
          .isEmpty();
    }
  }

  @Test
  void multipartUploadIsCountedStepByStep() {
    byte[] part = randomBytes(5 * 1024 * 1024);
    try (RequestRecording recording = server.gateway().record()) {
      String uploadId =
          client.createMultipartUpload(r -> r.bucket(BUCKET).key("a b/ü+1")).uploadId();
      List<CompletedPart> parts =
          IntStream.rangeClosed(1, 2)
              .mapToObj(
                  number -> {
                    String eTag =
                        client
                            .uploadPart(
                                r ->
                                    r.bucket(BUCKET)
                                        .key("a b/ü+1")
                                        .uploadId(uploadId)
                                        .partNumber(number),
                                RequestBody.fromBytes(part))
                            .eTag();
                    return CompletedPart.builder().partNumber(number).eTag(eTag).build();
                  })
              .toList();
      client.listMultipartUploads(r -> r.bucket(BUCKET));
      client.listParts(r -> r.bucket(BUCKET).key("a b/ü+1").uploadId(uploadId));
      client.completeMultipartUpload(
          r ->
              r.bucket(BUCKET)
                  .key("a b/ü+1")
                  .uploadId(uploadId)
                  .multipartUpload(m -> m.parts(parts)));
      assertThat(recording.requests())
          .extracting(S3Request::toString)
          .containsExactly(
              "CreateMultipartUpload gateway-test/a b/ü+1",
              "UploadPart gateway-test/a b/ü+1 part=1",
              "UploadPart gateway-test/a b/ü+1 part=2",
              "ListMultipartUploads gateway-test",
              "ListParts gateway-test/a b/ü+1",
              "CompleteMultipartUpload gateway-test/a b/ü+1");
    }

    assertThat(contents.objects("")).isEqualTo(Map.of("a b/ü+1", 2L * part.length));
    RequestCounts counts = counts();
    assertThat(counts.total()).isEqualTo(6);
    assertThat(counts.bytesUploaded()).isEqualTo(2L * part.length);
    assertThat(counts)
        .hasToString(
            "6 requests {CreateMultipartUpload=1, UploadPart=2, CompleteMultipartUpload=1,"
                + " ListMultipartUploads=1, ListParts=1}, bytes: uploaded 10485760, downloaded 0,"
                + " copied by the server 0");
  }

  @Test
  void everyOtherRequestHasItsName() {
    client.putObject(r -> r.bucket(BUCKET).key("k"), RequestBody.fromString("hello"));
    client.headObject(r -> r.bucket(BUCKET).key("k"));
    assertThat(client.getObjectAsBytes(r -> r.bucket(BUCKET).key("k")).asUtf8String())
        .isEqualTo("hello");
    client.headBucket(r -> r.bucket(BUCKET));
    client.listObjectsV2(r -> r.bucket(BUCKET));
    client.listObjects(r -> r.bucket(BUCKET));
    client.deleteObject(r -> r.bucket(BUCKET).key("k"));
    client.deleteObjects(
        r ->
            r.bucket(BUCKET)
                .delete(d -> d.objects(ObjectIdentifier.builder().key("other").build())));
    client.listBuckets();
    assertThat(counts().byApiName())
        .isEqualTo(
            Map.of(
                "PutObject", 1L,
                "HeadObject", 1L,
                "GetObject", 1L,
                "HeadBucket", 1L,
                "ListObjectsV2", 1L,
                "ListObjects", 1L,
                "DeleteObject", 1L,
                "DeleteObjects", 1L,
                "Other", 1L));
    assertThat(counts().bytesUploaded()).isEqualTo(5);
    assertThat(counts().bytesDownloaded()).isEqualTo(5);
  }

  @Test
  void refusalLooksLikeOneOfTheServerAndChangesNothing() {
    server.gateway().faults(FaultRule.always(type(RequestType.PUT_OBJECT), Fault.accessDenied()));
    assertThatThrownBy(() -> put("x".getBytes(US_ASCII)))
        .isInstanceOfSatisfying(
            S3Exception.class,
            e -> {
              assertThat(e.statusCode()).isEqualTo(403);
              assertThat(e.awsErrorDetails().errorCode()).isEqualTo("AccessDenied");
            });
    assertThat(contents.objects("")).isEmpty();
    assertThat(counts().of(RequestType.PUT_OBJECT)).isEqualTo(1);
  }

  /** Also where something is done instead, which finds it. */
  @Test
  void lostAnswerLeavesTheWorkDone() {
    List<Map<String, Long>> found = new ArrayList<>();
    for (Fault fault :
        List.of(
            Fault.loseAnswer(), Fault.runInsteadOfAnswer(() -> found.add(contents.objects(""))))) {
      server.gateway().faults(first(1, type(RequestType.PUT_OBJECT), fault));
      assertThatThrownBy(() -> put("x".getBytes(US_ASCII))).isInstanceOf(SdkClientException.class);
      assertThat(contents.objects("")).isEqualTo(Map.of("k", 1L));
    }
    assertThat(found).containsExactly(Map.of("k", 1L));
  }

  @Test
  void furtherGatewayCountsForItselfAndTellsWhenItsClientsAreGone() throws Exception {
    try (S3Gateway further = server.newGateway()) {
      try (S3Client other = client(further.endpoint(), 0, EmbeddedS3Server.SECRET_KEY)) {
        other.putObject(r -> r.bucket(BUCKET).key("k"), RequestBody.fromString("x"));
        assertThatThrownBy(() -> further.awaitDisconnected(Duration.ofMillis(1)))
            .isInstanceOf(AssertionError.class)
            .hasMessageContaining("1 connections");
      }
      further.awaitDisconnected(Duration.ofMinutes(1));
      assertThat(further.counts().byType()).isEqualTo(Map.of(RequestType.PUT_OBJECT, 1L));
    }
    assertThat(counts().total()).isZero();
    assertThat(contents.objects("")).isEqualTo(Map.of("k", 1L));
  }

  @Test
  void cutConnectionLeavesNothingDone() {
    server.gateway().faults(first(1, type(RequestType.PUT_OBJECT), Fault.cutBeforeForwarding()));
    assertThatThrownBy(() -> put("x".getBytes(US_ASCII))).isInstanceOf(SdkClientException.class);
    assertThat(contents.objects("")).isEmpty();
  }

  /** Of what befalls an answer the client sees bytes, and not what a library makes of them. */
  @Test
  void anAnswerCanBeCutResetSwallowedAndRepeated() throws Exception {
    assertThat(answered(new Fault.CutAnswer(9, false), 1)).isEqualTo("HTTP/1.1 ");
    assertThatThrownBy(() -> answered(new Fault.CutAnswer(0, true), 1))
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("reset");
    assertThatThrownBy(() -> answered(new Fault.SwallowAnswer(), 1))
        .isInstanceOf(SocketTimeoutException.class);
    assertThat(counts().byType())
        .as("the server did its work each time")
        .isEqualTo(Map.of(RequestType.OTHER, 3L));

    assertThat(answered(new Fault.RepeatAnswer(), 2).split("HTTP/1.1 403", -1)).hasSize(1 + 3);
    assertThatThrownBy(() -> answered(new Fault.CutBeforeForwarding(true), 1))
        .isInstanceOf(SocketException.class);
    assertThat(answered(Fault.cutBeforeForwarding(), 1)).isEmpty();
  }

  /** What the client of one connection reads when a fault strikes the first of its requests. */
  private static String answered(Fault fault, int requests) throws IOException {
    server.gateway().faults(first(1, any -> true, fault));
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), server.endpoint().getPort())) {
      socket.setSoTimeout(1_000);
      InputStream in = socket.getInputStream();
      ByteArrayOutputStream read = new ByteArrayOutputStream();
      for (int i = 0; i < requests; i++) {
        socket
            .getOutputStream()
            .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
        int one = in.read();
        if (one >= 0) {
          read.write(one);
          read.write(in.readNBytes(in.available()));
        }
      }
      socket.shutdownOutput();
      in.transferTo(read);
      return read.toString(US_ASCII);
    }
  }

  @Test
  void faultCanHitTheNthRequestOnly() {
    server
        .gateway()
        .faults(
            FaultRule.nth(2, type(RequestType.HEAD_BUCKET), Fault.refuse(500, "InternalError")));
    client.headBucket(r -> r.bucket(BUCKET));
    assertThatThrownBy(() -> client.headBucket(r -> r.bucket(BUCKET)))
        .isInstanceOf(S3Exception.class);
    client.headBucket(r -> r.bucket(BUCKET));
    try (S3Client retrying = client(server.endpoint(), 3, EmbeddedS3Server.SECRET_KEY)) {
      server.gateway().faults(first(2, type(RequestType.HEAD_BUCKET), Fault.slowDown()));
      retrying.headBucket(r -> r.bucket(BUCKET));
    }
    assertThat(counts().of(RequestType.HEAD_BUCKET)).isEqualTo(6);
  }

  @Test
  void latencyDelaysRequestsAndCopies() {
    contents.write("source", new byte[1_000_000]);
    server.gateway().latency(Latency.NONE.withPerRequest(Duration.ofMillis(60)));
    assertThat(millis(() -> client.headBucket(r -> r.bucket(BUCKET)))).isGreaterThanOrEqualTo(60);

    server.gateway().latency(Latency.NONE.withCopyRate(5_000_000));
    assertThat(
            millis(
                () ->
                    client.copyObject(
                        r ->
                            r.sourceBucket(BUCKET)
                                .sourceKey("source")
                                .destinationBucket(BUCKET)
                                .destinationKey("copy"))))
        .isGreaterThanOrEqualTo(200);

    server.gateway().latency(Latency.NONE.withUploadRate(5_000_000));
    assertThat(millis(() -> put(new byte[1_000_000]))).isGreaterThanOrEqualTo(200);
  }

  @Test
  void wrongCredentialsAreRefusedByTheServer() {
    try (S3Client stranger = client(server.endpoint(), 0, "not the secret")) {
      assertThatThrownBy(() -> stranger.listObjectsV2(r -> r.bucket(BUCKET)))
          .isInstanceOfSatisfying(
              S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(403));
    }
  }

  @Test
  void s3aWorksThroughTheGatewayAndItsRenameIsACopy() throws IOException {
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    byte[] bytes = randomBytes(50_000);
    try (FileSystem s3a = FileSystem.newInstance(URI.create("s3a://" + BUCKET + "/"), conf)) {
      Path source = new Path("s3a://" + BUCKET + "/table/_tmp/000000_0");
      try (FSDataOutputStream out = s3a.create(source)) {
        out.write(bytes);
      }
      assertThat(s3a.rename(source, new Path("s3a://" + BUCKET + "/table/000000_0"))).isTrue();
    }
    assertThat(contents.read("table/000000_0")).isEqualTo(bytes);
    assertThat(counts().of(RequestType.PUT_OBJECT)).isPositive();
    assertThat(counts().copies()).isEqualTo(1);
    assertThat(counts().bytesCopied()).isEqualTo(50_000);
  }

  @Test
  void serverProcessEndsWithClose(@TempDir java.nio.file.Path directory) throws IOException {
    EmbeddedS3Server other = EmbeddedS3Server.startIn(directory.resolve("server"));
    long pid = other.serverPid();
    assertThat(ProcessHandle.of(pid)).isPresent();
    other.close();
    assertThat(ProcessHandle.of(pid)).isEmpty();
  }

  @Test
  void processOfAClosedServerServesTheNextWhichHasNoneOfItsDataAndCounts() throws IOException {
    long pid;
    try (EmbeddedS3Server other = EmbeddedS3Server.start()) {
      pid = other.serverPid();
      BucketContents bucket = other.createBucket("left");
      bucket.write("object", new byte[] {1});
      other.backendClient().createMultipartUpload(request -> request.bucket("left").key("pending"));
      other.gateway().faults(FaultRule.always(any -> true, Fault.accessDenied()));
    }
    try (EmbeddedS3Server next = EmbeddedS3Server.start()) {
      assertThat(next.serverPid()).isEqualTo(pid);
      assertThat(next.backendClient().listBuckets().buckets()).isEmpty();
      BucketContents bucket = next.createBucket("left");
      assertThat(bucket.objects("")).isEmpty();
      assertThat(bucket.pendingUploads("")).isEmpty();
      assertThat(next.gateway().counts().total()).isZero();
      try (S3Client other = client(next.endpoint(), 0, EmbeddedS3Server.SECRET_KEY)) {
        assertThat(other.listBuckets().buckets()).hasSize(1);
      }
    }
  }

  private void put(byte[] bytes) {
    client.putObject(r -> r.bucket(BUCKET).key("k"), RequestBody.fromBytes(bytes));
  }

  private RequestCounts counts() {
    return server.gateway().counts().minus(before);
  }

  private static S3Client client(URI endpoint, int retries, String secret) {
    return S3Client.builder()
        .endpointOverride(endpoint)
        .region(Region.of(EmbeddedS3Server.REGION))
        .forcePathStyle(true)
        .credentialsProvider(
            StaticCredentialsProvider.create(
                AwsBasicCredentials.create(EmbeddedS3Server.ACCESS_KEY, secret)))
        .httpClientBuilder(ApacheHttpClient.builder())
        .overrideConfiguration(c -> c.retryStrategy(strategy -> strategy.maxAttempts(retries + 1)))
        .build();
  }

  private static long millis(Runnable work) {
    long start = System.nanoTime();
    work.run();
    return Duration.ofNanos(System.nanoTime() - start).toMillis();
  }

  private static byte[] randomBytes(int size) {
    byte[] bytes = new byte[size];
    new Random(42).nextBytes(bytes);
    return bytes;
  }
}
