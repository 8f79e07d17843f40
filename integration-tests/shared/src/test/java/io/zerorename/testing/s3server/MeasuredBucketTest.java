package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory of a bucket on a server that the programs did not start, through S3A. */
class MeasuredBucketTest {
  private static final String BUCKET = "somebodys-bucket";
  private static final String TRUSTED = "javax.net.ssl.trustStore";
  private static final String TRUSTED_PASSWORD = "javax.net.ssl.trustStorePassword";

  @TempDir static java.nio.file.Path home;

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

  private static MeasuredBucket at(URI endpoint, String directory) throws IOException {
    return at(endpoint, BUCKET, directory);
  }

  private static MeasuredBucket at(URI endpoint, String bucket, String directory)
      throws IOException {
    return MeasuredBucket.at(
        endpoint, EmbeddedS3Server.REGION, bucket, directory, System.err::println);
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
                  OutputStream out = other.begin();
                  out.write(1);
                  out.flush();
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
