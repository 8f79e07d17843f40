package io.zerorename.core.commit;

import static io.zerorename.testing.s3server.FaultRule.first;
import static io.zerorename.testing.s3server.FaultRule.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Job commit through S3A to a store that asks for fewer requests. */
@Timeout(300)
class ThrottledStoreTest {
  private static final int FILES = 24;

  @TempDir java.nio.file.Path workDir;

  private static EmbeddedS3Server server;
  private static BucketContents contents;

  private S3AObjectStores stores;
  private TestJob job;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(TestJob.TABLE.toUri().getAuthority());
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void newJob() throws IOException {
    newJob("job-1", "2m");
  }

  private void newJob(String id, String retryTime) throws IOException {
    Configuration configuration = new Configuration();
    server.hadoopSettings().forEach(configuration::set);
    configuration.setBoolean("fs.s3a.impl.disable.cache", true);
    // S3A repeats nothing, so that the committer alone has to cope.
    configuration.setInt("fs.s3a.attempts.maximum", 0);
    configuration.set("zerorename.retry.time", retryTime);
    stores = new S3AObjectStores(configuration);
    job =
        new TestJob(stores, FileSystem.getLocal(new Configuration(false)), workDir, id)
            .withThreads(8);
  }

  @AfterEach
  void clear() throws IOException {
    server.gateway().faults(FaultRule.NONE);
    stores.close();
    contents.clear("");
  }

  @Test
  void aJobCommitsWhenTheStoreHasRecovered() throws IOException {
    job.task("attempt_0", files());
    server
        .gateway()
        .faults(first(40, type(RequestType.COMPLETE_MULTIPART_UPLOAD), Fault.slowDown()));
    RequestCounts before = server.gateway().counts();
    job.insert();
    assertThat(contents.files("warehouse/t/")).hasSize(FILES);
    assertThat(contents.pendingUploads("")).isEmpty();
    RequestCounts sent = server.gateway().counts().minus(before);
    assertThat(sent.of(RequestType.COMPLETE_MULTIPART_UPLOAD)).isEqualTo(FILES + 40);
    // A throttled Complete surely had no effect, so nobody has to look.
    assertThat(sent.of(RequestType.HEAD_OBJECT)).isZero();
  }

  @Test
  void aCompleteThatMayHaveHadItsEffectIsSentAgain() throws IOException {
    job.task("attempt_0", files());
    server
        .gateway()
        .faults(
            first(
                1,
                type(RequestType.COMPLETE_MULTIPART_UPLOAD),
                Fault.refuse(503, "ServiceUnavailable")));
    RequestCounts before = server.gateway().counts();
    job.insert();
    assertThat(contents.files("warehouse/t/")).hasSize(FILES);
    RequestCounts sent = server.gateway().counts().minus(before);
    assertThat(sent.of(RequestType.COMPLETE_MULTIPART_UPLOAD)).isEqualTo(FILES + 1);
    // The second is taken, and so the first had no effect.
    assertThat(sent.of(RequestType.HEAD_OBJECT)).isZero();
  }

  @Test
  void aStoreThatTakesNothingLeavesTheCommitOpenAndSaysSo() throws IOException {
    stores.close();
    newJob("job-2", "1s");
    job.withThreads(1).task("attempt_0", "day=1/0");
    server
        .gateway()
        .faults(FaultRule.always(type(RequestType.COMPLETE_MULTIPART_UPLOAD), Fault.slowDown()));
    assertThatThrownBy(() -> job.insert())
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("takes too few requests")
        .hasMessageContaining("Please reduce your request rate")
        .hasMessageContaining("zerorename.commit.threads");
    server.gateway().faults(FaultRule.NONE);
    job.insert();
    assertThat(contents.files("warehouse/t/")).hasSize(1);
  }

  private static String[] files() {
    return IntStream.range(0, FILES).mapToObj(i -> "day=" + i % 3 + "/" + i).toArray(String[]::new);
  }
}
