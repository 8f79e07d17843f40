package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.Requests;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A commit that takes long says how far it is, one that does not says nothing. */
class CommitProgressTest {
  @TempDir java.nio.file.Path workDir;

  private final InMemoryObjectStore bucket = new InMemoryObjectStore("bucket");
  private final BlockingQueue<String> messages = new ArrayBlockingQueue<>(1_000);
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");
  private TestJob job;

  @BeforeEach
  void job() throws IOException {
    job = TestJob.withLogIn(logs, bucket, workDir, "job-1");
    job.task("a", "0", "1", "2");
  }

  @Test
  void longCommitTellsHowFarItIsInTheCallersThread() throws IOException {
    Thread caller = Thread.currentThread();
    CommitProgress progress =
        new CommitProgress(
            Duration.ofMillis(2),
            message -> {
              assertThat(Thread.currentThread()).isSameAs(caller);
              messages.add(message);
            });

    CommitReport report = commit(eachWaitingForAMessage(), progress);

    assertThat(report.made().files()).isEqualTo(3);
    assertThat(bucket.pendingKeys()).isEmpty();
    assertThat(told)
        .containsExactly(
            "0 of 3 files are visible", "1 of 3 files are visible", "2 of 3 files are visible");
  }

  @Test
  void listenerThatFailsDoesNotFailTheCommit() throws IOException {
    CommitProgress progress =
        new CommitProgress(
            Duration.ofMillis(2),
            message -> {
              messages.add(message);
              throw new IllegalStateException("the console is gone");
            });

    assertThat(commit(eachWaitingForAMessage(), progress).made().files()).isEqualTo(3);
  }

  private CommitReport commit(ObjectStores stores, CommitProgress progress) throws IOException {
    CommitReport report =
        new JobCommit(
                stores,
                job.directory(),
                job.log(),
                job.settings(),
                progress,
                Requests.of(
                    job.outputJob(),
                    Manifests.of(job.chosen()),
                    Overwrite.none(),
                    Optional.of(Instant.now())))
            .run();
    return report;
  }

  /** Completes no upload before the caller has been told what is visible without it. */
  private ObjectStores eachWaitingForAMessage() {
    ObjectStore slow =
        BeforeRequest.of(
            bucket,
            "completeUpload",
            () -> {
              // What was told before the last completion was counted is old.
              messages.clear();
              messages.poll(2, TimeUnit.MINUTES);
              told.add(messages.poll(2, TimeUnit.MINUTES));
            });
    return path -> slow;
  }
}
