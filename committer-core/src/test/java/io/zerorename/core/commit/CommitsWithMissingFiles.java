package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.parallel.Clock;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;

/**
 * Interrupted commits of which an upload is gone and its object not there: the store may still be
 * completing it for a process that was killed, or it is lost.
 */
public abstract class CommitsWithMissingFiles extends TimedCommits {
  public static final Duration SETTLING = Duration.ofMinutes(5);

  /** Between two looks. */
  public static final Duration PAUSE = Duration.ofSeconds(10);

  @BeforeEach
  public void settle() throws IOException {
    onAStoreThatCompletesOnce();
    job.settlingFor(SETTLING);
  }

  public TestJob settling(String id) throws IOException {
    return job(id).settlingFor(SETTLING);
  }

  public PendingUpload vanish(int index) {
    return vanish(job, index);
  }

  public void appear(PendingUpload upload) throws IOException {
    store.putObject(
        upload.key(),
        RepeatableBody.of("day=1/0".getBytes(UTF_8)),
        Map.of(OutputFile.IDENTITY_METADATA, upload.identity()));
  }

  /** What goes on while a process waits. */
  @FunctionalInterface
  public interface Meanwhile {
    void run() throws IOException;
  }

  /** Passes the store's time, and then does something. */
  public Clock and(Meanwhile meanwhile) {
    return (time, why) -> {
      pass(time, why);
      try {
        meanwhile.run();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  /** An interrupted commit of one file, whose upload is gone. */
  public PendingUpload lose() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none());
    return vanish(0);
  }
}
