package io.zerorename.versions;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.GET_OBJECT;
import static io.zerorename.testing.s3server.RequestType.HEAD_OBJECT;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3a.S3ASetting;
import io.zerorename.testing.s3a.S3ASettings;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.File;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.commit.files.SuccessData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the user has set for the destination's bucket leaves with a job's requests. */
class BucketSettingsTest {
  private static final String OUT = "out";
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
    server.gateway().faults(FaultRule.NONE);
    cluster.close();
  }

  /**
   * Two jobs, of which the second replaces the files of the first, and two answers that are lost:
   * of a Complete, which is then looked for, and of an entry of the log, which is then read.
   */
  @ParameterizedTest
  @MethodSource("io.zerorename.versions.Api#ofTier")
  void everyRequestOfAJobCarriesTheBucketsSettings(Api api) throws Exception {
    List<S3ASetting> settings =
        S3ASettings.ofThisHadoop().stream().filter(this::goesTogether).toList();
    assertThat(settings).hasSizeGreaterThan(5);
    Configuration conf = cluster.conf();
    settings.forEach(setting -> setting.forBucket(cluster.bucket().bucket()).forEach(conf::set));
    conf.set("zerorename.conflict.mode", "replace");
    server
        .gateway()
        .faults(
            FaultRule.nth(1, FaultRule.type(COMPLETE_MULTIPART_UPLOAD), Fault.loseAnswer())
                .or(
                    FaultRule.nth(
                        1,
                        FaultRule.type(COMPLETE_MULTIPART_UPLOAD),
                        Fault.refuse(404, "NoSuchUpload")))
                .or(
                    FaultRule.nth(
                        1,
                        request ->
                            request.type() == PUT_OBJECT
                                && request.key().matches(".*/log/_[0-9]{12}"),
                        Fault.loseAnswer())));
    List<S3Request> sent;
    try (RequestRecording recording = server.gateway().record()) {
      api.run(job, conf, cluster.s3(OUT), 3);
      api.run(job, conf, cluster.s3(OUT), 3);
      sent = recording.requests();
    }

    assertThat(cluster.lines(OUT)).isEqualTo(job.expected(3));
    assertThat(cluster.dataFiles(OUT)).hasSize(3);
    assertThat(sent.stream().map(S3Request::type))
        .contains(
            CREATE_MULTIPART_UPLOAD,
            UPLOAD_PART,
            COMPLETE_MULTIPART_UPLOAD,
            PUT_OBJECT,
            HEAD_OBJECT,
            GET_OBJECT,
            LIST_OBJECTS_V2,
            DELETE_OBJECTS);
    for (S3ASetting setting : settings) {
      assertThat(sent)
          .filteredOn(request -> setting.types().contains(request.type()))
          .as("%s", setting)
          .isNotEmpty()
          .allSatisfy(
              request ->
                  setting
                      .headers()
                      .forEach(
                          (name, value) ->
                              assertThat(request.headers().get(name))
                                  .as("%s of %s", name, request)
                                  .isNotNull()
                                  .contains(value)));
    }
  }

  /** One kind of encryption, and one of credentials. */
  private boolean goesTogether(S3ASetting setting) {
    return List.of(
            "SSE-C",
            "storage class",
            "canned ACL",
            "requester pays",
            "headers of the client",
            "user agent",
            "MD5 of a bulk delete",
            "temporary credentials",
            "region")
        .contains(setting.name());
  }

  @ParameterizedTest
  @MethodSource("io.zerorename.versions.Api#ofTier")
  void theCommittersOwnSettingsOfTheBucketComeBeforeThoseForAll(Api api) throws Exception {
    String ofBucket = "zerorename.bucket." + cluster.bucket().bucket() + ".";
    Configuration conf = cluster.conf();
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
}
