package io.zerorename.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.commit.files.SuccessData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the user has set for the destination's bucket leaves with a job's requests. */
class BucketSettingsTest {
  private static final String OUT = "out";
  private static final String ENCRYPTION = "x-amz-server-side-encryption";
  private static EmbeddedS3Server server;

  @TempDir private File directory;
  private TestCluster cluster;
  private WordCount job;

  @BeforeAll
  static void startServer() throws IOException {
    server = EmbeddedS3Server.startTakingEncryption();
  }

  @AfterAll
  static void stopServer() throws IOException {
    server.close();
  }

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.on(server, directory).withCommitter();
    job = new WordCount(new File(directory, "input").toPath());
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void everyObjectIsWrittenWithTheBucketsEncryption(Api api) throws Exception {
    List<S3Request> written =
        run(
            api,
            Map.of(
                "encryption.algorithm", "SSE-KMS",
                "encryption.key", "arn:aws:kms:eu-west-1:1:key/2"));

    assertThat(written)
        .as("files, _SUCCESS, and what the commit's log keeps")
        .hasSizeGreaterThan(4)
        .allSatisfy(
            request ->
                assertThat(request.headers())
                    .containsEntry(ENCRYPTION, "aws:kms")
                    .containsEntry(
                        ENCRYPTION + "-aws-kms-key-id", "arn:aws:kms:eu-west-1:1:key/2"));
    assertThat(written).filteredOn(request -> !request.key().startsWith("_zerorename/")).hasSize(4);
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void everyRequestIsSignedWithTheBucketsCredentials(Api api) throws Exception {
    try (RequestRecording recording = server.gateway().record()) {
      run(api, Map.of("access.key", "of-this-bucket", "secret.key", "its-secret"));

      assertThat(recording.requests())
          .isNotEmpty()
          .allSatisfy(
              request ->
                  assertThat(request.headers().get("authorization"))
                      .contains("Credential=of-this-bucket/"));
    }
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void theCommittersOwnSettingsOfTheBucketComeBeforeThoseForAll(Api api) throws Exception {
    String ofBucket = "zerorename.bucket." + cluster.bucket().bucket() + ".";
    Configuration conf = cluster.conf();
    conf.set("zerorename.inline.max.bytes", "1M");
    conf.set(ofBucket + "inline.max.bytes", "0");
    conf.set("zerorename.conflict.mode", "fail");
    conf.set(ofBucket + "conflict.mode", "replace");
    conf.set(ofBucket + "success.file.limit", "1");
    conf.set(ofBucket + "commit.dir", cluster.s3("decisions").toString());
    conf.set("zerorename.bucket.another.commit.dir", "s3a://another/decisions");
    Path old = cluster.s3(OUT + "/old");
    old.getFileSystem(conf).create(old).close();

    try (RequestRecording recording = server.gateway().record()) {
      api.run(job, conf, cluster.s3(OUT), 3);

      assertThat(recording.keys(RequestType.COMPLETE_MULTIPART_UPLOAD)).hasSize(3);
      assertThat(recording.keys(RequestType.PUT_OBJECT))
          .anyMatch(key -> key.startsWith("decisions/"))
          .noneMatch(key -> key.startsWith("_zerorename/"));
    }
    assertThat(cluster.dataFiles(OUT)).hasSize(3).doesNotContain(OUT + "/old");
    assertThat(cluster.lines(OUT)).isEqualTo(job.expected(3));
    Path success = cluster.s3(OUT + "/_SUCCESS");
    assertThat(SuccessData.load(success.getFileSystem(conf), success).getFilenames()).hasSize(1);
  }

  /** Runs a job, checks its output, and returns the requests that make objects. */
  private List<S3Request> run(Api api, Map<String, String> settings) throws Exception {
    Configuration conf = cluster.conf();
    settings.forEach(
        (key, value) -> conf.set("fs.s3a.bucket." + cluster.bucket().bucket() + "." + key, value));
    try (RequestRecording recording = server.gateway().record()) {
      api.run(job, conf, cluster.s3(OUT), 3);
      assertThat(cluster.lines(OUT)).isEqualTo(job.expected(3));
      return recording.requests().stream()
          .filter(
              request ->
                  request.type() == RequestType.CREATE_MULTIPART_UPLOAD
                      || request.type() == RequestType.PUT_OBJECT)
          .toList();
    }
  }
}
