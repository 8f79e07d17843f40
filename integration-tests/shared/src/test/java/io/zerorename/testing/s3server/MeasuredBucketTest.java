package io.zerorename.testing.s3server;

import static io.zerorename.testing.s3server.FaultRule.type;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.http.HttpClientConnection;
import org.apache.http.message.BasicHttpRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory of a bucket on a server that the programs did not start, through S3A. */
class MeasuredBucketTest {
  private static final String BUCKET = "somebodys-bucket";
  private static final String TRUSTED = "javax.net.ssl.trustStore";
  private static final String TRUSTED_PASSWORD = "javax.net.ssl.trustStorePassword";

  @TempDir static java.nio.file.Path home;

  private final List<String> console = new ArrayList<>();

  private static EmbeddedS3Server server;
  private static BucketContents everything;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    everything = server.createBucket(BUCKET);
    everything.write("theirs", new byte[] {1});
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @AfterEach
  void endFaults() {
    server.gateway().faults(FaultRule.NONE);
  }

  private MeasuredBucket at(URI endpoint, String directory) throws IOException {
    return at(endpoint, BUCKET, directory);
  }

  private MeasuredBucket at(URI endpoint, String bucket, String directory) throws IOException {
    return MeasuredBucket.at(endpoint, EmbeddedS3Server.REGION, bucket, directory, console::add);
  }

  private static void writeRenameAndRead(MeasuredBucket bucket) throws IOException {
    Configuration conf = new Configuration(false);
    conf.addResource("core-default.xml");
    bucket.access().settings().forEach(conf::set);
    conf.set("fs.s3a.buffer.dir", home.toString());
    Path from = new Path(bucket.location("d/a b+c%"));
    Path to = new Path(bucket.location("e"));
    try (FileSystem s3a = FileSystem.newInstance(from.toUri(), conf)) {
      try (OutputStream out = s3a.create(from)) {
        out.write("some text".getBytes(UTF_8));
      }
      assertThat(s3a.rename(from, to)).isTrue();
      assertThat(new String(s3a.open(to).readAllBytes(), UTF_8)).isEqualTo("some text");
      assertThat(s3a.getFileStatus(to).getLen()).isEqualTo(9);
    }
    assertThat(bucket.contents().files("")).containsExactly("e");
    RequestCounts counts = bucket.gateway().counts();
    assertThat(counts.of(RequestType.PUT_OBJECT)).isPositive();
    assertThat(counts.copies()).isEqualTo(1);
    assertThat(counts.bytesCopied()).isEqualTo(9);
    assertThat(counts.of(RequestType.OTHER)).isZero();
  }

  @Test
  void s3aWorksInTheDirectoryAndNothingIsLeftOfIt() throws Exception {
    try (MeasuredBucket bucket = at(server.endpoint(), "team/run-1/")) {
      writeRenameAndRead(bucket);
      server
          .backendClient()
          .createMultipartUpload(request -> request.bucket(BUCKET).key("team/run-1/pending"));
      assertThat(bucket.contents().pendingUploads("")).hasSize(1);
      assertThat(everything.files("team/")).containsExactly("team/run-1/e");
    }

    assertThat(everything.objects("")).isEqualTo(Map.of("theirs", 1L));
    assertThat(everything.pendingUploads("")).isEmpty();
    assertThat(console)
        .singleElement()
        .asString()
        .matches("s3a://somebodys-bucket/team/run-1 is empty again, after \\d+ requests");
  }

  @Test
  void whatCannotBeEmptiedIsNamedAndTheRestIsEmptied() throws Exception {
    MeasuredBucket bucket = at(server.endpoint(), "run-3/");
    bucket.contents().write("kept", new byte[1]);
    server
        .backendClient()
        .createMultipartUpload(request -> request.bucket(BUCKET).key("run-3/pending"));
    server
        .gateway()
        .faults(FaultRule.always(type(RequestType.DELETE_OBJECTS), Fault.refuse(403, "NoDelete")));

    assertThatThrownBy(bucket::close)
        .isInstanceOf(IOException.class)
        .hasMessage(
            "s3a://somebodys-bucket/run-3 could not be emptied: refused by the test gateway (Service:"
                + " S3, Status Code: 403, Request ID: gateway). Remove what is in it, and abort"
                + " pending uploads.");

    assertThat(console).singleElement().asString().contains("run-3 could not be emptied");
    assertThat(everything.pendingUploads("")).isEmpty();
    assertThat(everything.files("run-3/")).containsExactly("run-3/kept");
    server.gateway().faults(FaultRule.NONE);
    everything.clear("run-3/");
  }

  @Test
  void aRefusalThatComesBeforeTheBodyIsCarriedBack() throws Exception {
    try (ServerSocket store = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread refusing =
          new Thread(
              () -> {
                try (Socket client = store.accept()) {
                  client
                      .getOutputStream()
                      .write(
                          "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                              .getBytes(UTF_8));
                  client.shutdownInput();
                  client.getInputStream().readNBytes(1);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      refusing.start();
      URI backend = URI.create("http://127.0.0.1:" + store.getLocalPort());
      try (S3Gateway gateway =
              S3Gateway.start(backend, new UncountedRequests(server.backendClient(), false));
          Socket client =
              new Socket(InetAddress.getLoopbackAddress(), gateway.endpoint().getPort())) {
        client
            .getOutputStream()
            .write("PUT /b/k HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n".getBytes(UTF_8));
        Thread body = new Thread(() -> sendUntilClosed(client));
        body.start();
        assertThat(
                new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8))
                    .readLine())
            .isEqualTo("HTTP/1.1 503 Slow Down");
        body.join();
      }
      refusing.join();
    }
  }

  private static void sendUntilClosed(Socket client) {
    try {
      for (int sent = 0; sent < 100; sent++) {
        client.getOutputStream().write(new byte[1_000_000]);
      }
    } catch (IOException e) {
      // The gateway has answered and closed, as servers do.
    }
  }

  @Test
  void requestsReachAServerThatSpeaksHttps() throws Exception {
    SSLContext before = SSLContext.getDefault();
    try (TlsFront front = TlsFront.start(home, server.endpoint())) {
      SSLContext.setDefault(front.context());
      System.setProperty(TRUSTED, front.keys().toString());
      System.setProperty(TRUSTED_PASSWORD, TlsFront.PASSWORD);
      try (MeasuredBucket bucket = at(front.endpoint("localhost"), "run-2/")) {
        writeRenameAndRead(bucket);
      }
      assertThat(everything.objects("")).isEqualTo(Map.of("theirs", 1L));

      try (BackendConnection other = new BackendConnection(front.endpoint("127.0.0.1"))) {
        assertThatThrownBy(
                () -> {
                  HttpClientConnection connection = other.begin();
                  connection.sendRequestHeader(new BasicHttpRequest("GET", "/"));
                  connection.flush();
                })
            .as("the certificate is for another name")
            .isInstanceOf(SSLHandshakeException.class);
      }
    } finally {
      SSLContext.setDefault(before);
      System.clearProperty(TRUSTED);
      System.clearProperty(TRUSTED_PASSWORD);
    }
  }

  @Test
  void aStoreThatRefusesSignedPartsOfABodyIsNamedAtOnce() {
    server
        .gateway()
        .faults(
            FaultRule.always(
                request ->
                    request
                        .headers()
                        .getOrDefault("x-amz-content-sha256", "")
                        .startsWith("STREAMING-"),
                Fault.refuse(403, "SignatureDoesNotMatch")));

    assertThatThrownBy(() -> at(server.endpoint(), "run-4/"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(server.endpoint() + " does not take what S3A writes")
        .hasMessageContainingAll("SignatureDoesNotMatch", "HTTPS", "Nothing was measured");
    assertThat(console).singleElement().asString().contains("run-4 is empty again");
  }

  @Test
  void aStoreThatKeepsOtherBytesIsNamedAtOnce() {
    server
        .gateway()
        .faults(
            request -> {
              if (request.type() == RequestType.GET_OBJECT) {
                everything.write(request.key(), "e;chunk-signature=0".getBytes(UTF_8));
              }
              return Optional.empty();
            });

    assertThatThrownBy(() -> at(server.endpoint(), "run-5/"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("of 14 bytes it keeps 19 others");
    assertThat(everything.objects("run-5/")).isEmpty();
  }

  @Test
  void aDirectoryWithSomethingInItIsRefused() {
    everything.write("full/x", new byte[0]);
    assertThatThrownBy(() -> at(server.endpoint(), "full/"))
        .isInstanceOf(IOException.class)
        .hasMessage("s3a://somebodys-bucket/full is not empty; nothing was written to it");
    everything.clear("full/");
  }

  @Test
  void aBucketThatDoesNotExistIsNamed() {
    assertThatThrownBy(() -> at(server.endpoint(), "no-such-bucket", "run/"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the bucket no-such-bucket cannot be listed at http://127.0.0.1:");
  }
}
