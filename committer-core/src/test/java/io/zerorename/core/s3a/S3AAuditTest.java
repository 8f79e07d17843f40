package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.net.URLDecoder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the store's access log can tell of a request: who has sent it, for whom, and what for. */
class S3AAuditTest {
  private static final String BUCKET = "audited";
  private static EmbeddedS3Server server;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    server.createBucket(BUCKET);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @Test
  void everyRequestNamesOperationPathUserQueryAndTaskAttempt() throws Exception {
    Configuration conf = conf();
    conf.set("hive.query.id", "hive_20261121_42");
    AuditLabels labels = AuditLabels.of(conf).ofTaskAttempt("attempt_1_0001_m_000000_0");

    try (S3AObjectStores stores = new S3AObjectStores(conf, labels);
        RequestRecording recording = server.gateway().record()) {
      // As in a commit, where the threads of a pool send what another one has begun.
      ExecutorService pool = Executors.newSingleThreadExecutor();
      try {
        pool.submit(() -> oneOfEach(stores.forPath(new Path("s3a://" + BUCKET + "/")))).get();
      } finally {
        pool.shutdown();
      }

      assertThat(recording.requests()).hasSize(8);
      assertThat(recording.requests())
          .allSatisfy(
              request ->
                  assertThat(referrer(request))
                      .startsWith("https://audit.example.org/hadoop/1/zerorename.")
                      .contains("ji=hive_20261121_42", "ta=attempt_1_0001_m_000000_0")
                      .contains("pr=" + UserGroupInformation.getCurrentUser().getUserName())
                      .contains("p1=s3a://" + BUCKET + "/k")
                      .doesNotContain(EmbeddedS3Server.SECRET_KEY));
      assertThat(recording.requests())
          .extracting(S3AAuditTest::operation)
          .containsExactly(
              "zerorename.CreateMultipartUpload",
              "zerorename.UploadPart",
              "zerorename.CompleteMultipartUpload",
              "zerorename.PutObject",
              "zerorename.HeadObject",
              "zerorename.GetObject",
              "zerorename.ListObjectsV2",
              "zerorename.DeleteObjects");
    }
  }

  @Test
  void queryGoesBeforeDagAndDagBeforeJob() {
    Configuration conf = new Configuration(false);
    assertThat(AuditLabels.of(conf).ofJob("job_1").entries()).isEqualTo(Map.of("ji", "job_1"));
    conf.set("mapreduce.job.id", "job_2");
    assertThat(AuditLabels.of(conf).ofJob("job_1").entries()).isEqualTo(Map.of("ji", "job_2"));
    conf.set("job.committer.uuid", "dag");
    conf.set("mapreduce.task.attempt.id", "attempt");
    assertThat(AuditLabels.of(conf).entries()).isEqualTo(Map.of("ji", "dag", "ta", "attempt"));
    conf.set("hive.query.id", "query");
    assertThat(AuditLabels.of(conf).entries()).containsEntry("ji", "query");
  }

  private static Void oneOfEach(ObjectStore store) throws IOException {
    String upload = store.createUpload("k", Map.of());
    UploadedPart part = store.uploadPart("k", upload, 1, RepeatableBody.of(new byte[1]));
    store.completeUpload("k", upload, List.of(part));
    store.putObject("k", RepeatableBody.of(new byte[1]), Map.of());
    store.headObject("k");
    store.getObject("k");
    store.listObjects("k").next();
    store.deleteObjects(List.of("k"));
    return null;
  }

  private static Configuration conf() {
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    conf.setBoolean("fs.s3a.impl.disable.cache", true);
    return conf;
  }

  private static String referrer(S3Request request) {
    return URLDecoder.decode(request.headers().get("referer"), UTF_8);
  }

  private static String operation(S3Request request) {
    return referrer(request).replaceFirst(".*/hadoop/1/([^/]+)/.*", "$1");
  }
}
