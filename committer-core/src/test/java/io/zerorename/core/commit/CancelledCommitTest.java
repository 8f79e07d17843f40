package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.FaultRule;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Job commit through S3A, of which the thread is interrupted. */
@Timeout(120)
class CancelledCommitTest {
  @TempDir java.nio.file.Path workDir;

  @Test
  void doesNotWaitForTheSdkWhichRepeatsTheLatePutOfTheProbe() throws Exception {
    try (JobOnServer running = JobOnServer.start(workDir, Map.of())) {
      TestJob job = running.job().withThreads(4).smallTask("attempt_0", "day=1/0");
      Thread committer = Thread.currentThread();
      AtomicInteger late = new AtomicInteger();
      running
          .server()
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
      assertThat(running.contents().files("warehouse/t/")).isEmpty();

      running.server().gateway().faults(FaultRule.NONE);
      job.insert();
      assertThat(running.contents().files("warehouse/t/")).hasSize(1);
    }
  }
}
