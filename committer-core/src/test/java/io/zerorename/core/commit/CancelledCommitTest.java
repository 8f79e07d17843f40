package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Job commit through S3A, of which the thread is interrupted. */
@Timeout(120)
class CancelledCommitTest {
  @TempDir java.nio.file.Path workDir;

  private EmbeddedS3Server server;
  private BucketContents contents;
  private S3AObjectStores stores;
  private TestJob job;

  @BeforeEach
  void start() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(TestJob.TABLE.toUri().getAuthority());
    Configuration configuration = new Configuration();
    server.hadoopSettings().forEach(configuration::set);
    configuration.setBoolean("fs.s3a.impl.disable.cache", true);
    stores = new S3AObjectStores(configuration);
    job =
        TestJob.decidedInBucket(
                stores, FileSystem.getLocal(new Configuration(false)), workDir, "job-1")
            .withThreads(4);
  }

  @AfterEach
  void stop() throws IOException {
    server.gateway().faults(FaultRule.NONE);
    stores.close();
    server.close();
  }

  @Test
  void doesNotWaitForTheSdkWhichRepeatsTheLatePutOfTheProbe() throws IOException {
    job.smallTask("attempt_0", "day=1/0");
    Thread committer = Thread.currentThread();
    AtomicInteger late = new AtomicInteger();
    server
        .gateway()
        .faults(
            request -> {
              if (request.key().endsWith("-late")) {
                late.incrementAndGet();
                committer.interrupt();
              }
              return Optional.empty();
            });

    assertThatThrownBy(() -> job.insert())
        .isInstanceOf(CommitFailedException.class)
        .hasCauseInstanceOf(InterruptedIOException.class);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(late.get()).as("PUTs whose deadline has passed").isBetween(1, 2);
    assertThat(contents.files("warehouse/t/")).isEmpty();

    server.gateway().faults(FaultRule.NONE);
    job.insert();
    assertThat(contents.files("warehouse/t/")).hasSize(1);
  }
}
