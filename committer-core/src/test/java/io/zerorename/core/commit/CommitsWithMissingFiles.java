package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;

/**
 * Open commits of which an upload is gone and its object not there: the store may still be joining
 * it for a process that was killed, or it is lost.
 */
abstract class CommitsWithMissingFiles extends OpenCommits {
  static final Duration SETTLING = Duration.ofMinutes(5);

  /** What an operator says who knows that the process is dead. */
  static final Duration NOW = Duration.ZERO;

  @BeforeEach
  void settle() throws IOException {
    // As MinIO: an upload is gone once it was completed.
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    job = job("job-1").settlingFor(SETTLING);
  }

  PendingUpload vanish(int index) {
    PendingUpload upload = job.chosen().get(0).uploads().get(index);
    store.loseUpload(upload.key(), upload.uploadId());
    return upload;
  }

  void appear(PendingUpload upload) throws IOException {
    store.putObject(
        upload.key(),
        PartBody.of("day=1/0".getBytes(UTF_8)),
        Map.of(PendingUpload.IDENTITY_METADATA, upload.identity()));
  }

  Recovered recover() throws IOException {
    return recovery().run(NOW).stream().reduce((a, b) -> b).orElseThrow();
  }

  /** What goes on while a job waits. */
  @FunctionalInterface
  interface Meanwhile {
    void pass(Duration pause) throws IOException;
  }

  /** A job that replaces files. */
  List<Recovered> overwrite(Meanwhile meanwhile) throws IOException {
    Pauses.Sleep sleep =
        (pause, message) -> {
          try {
            meanwhile.pass(pause);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    return new Recovery(store, job.log(), job.settings(), new Engine(), sleep)
        .clear(SETTLING, Set.of("another job"), List.of(TestJob.TABLE));
  }

  /** A broken commit of one file, whose upload is gone. */
  PendingUpload lose() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    return vanish(0);
  }
}
