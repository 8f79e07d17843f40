package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An overwrite whose process is paused behind an answer of the store. */
@Tag("thorough")
class PausedProcessTest extends TimedCommits {
  private static final Duration PAUSE = Duration.ofSeconds(31);

  /** The pause is real: it sets back what is known of the store's clock, and not the machine's. */
  @Test
  void anOldFileThatIsRewrittenInThePauseStays() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    store.plant(T + "day=1/older", new byte[1]);
    job.task("a", "day=1/0");

    job.commit(
        new CommitRequest(
            job.outputJob(),
            Manifests.of(job.chosen()),
            Overwrite.directoriesOfFiles(),
            Optional.of(Instant.now()),
            () -> {
              store.plant(T + "day=1/old", "rewritten".getBytes(UTF_8));
              sleep(PAUSE);
              store.pass(PAUSE.negated());
            },
            true));

    assertThat(data()).containsExactlyInAnyOrder(T + "day=1/old", job.key("day=1/0"));
  }

  private static void sleep(Duration time) throws IOException {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
