package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EntryDraft;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests that take effect long after they were sent, and processes that sleep before they send
 * them: no file of an earlier entry appears where a later one has ended.
 */
@Timeout(600)
class LateEffectsTest extends TimedCommits {
  private static final Duration GRACE = Duration.ofMinutes(5);

  private Runnable onPause = () -> {};

  @BeforeEach
  void onAStoreThatCompletesAnUploadOnce() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    newJob();
  }

  private TestJob settling(String id) throws IOException {
    return job(id).settlingFor(Duration.ofMinutes(5));
  }

  /** The store ends a Complete that it has taken before. */
  private void endComplete(TestJob of) throws IOException {
    PendingUpload upload = of.chosen().get(0).uploads().get(0);
    store.endCompleting(upload.key());
    store.completeUpload(upload.key(), upload.uploadId(), upload.parts());
  }

  private void endCompleteUnchecked(TestJob of) {
    try {
      endComplete(of);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Commits a job; before its first Complete something else happens. */
  private CommitReport insertAround(TestJob by, BeforeRequest.Step before) throws IOException {
    AtomicBoolean done = new AtomicBoolean();
    ObjectStore asleep =
        BeforeRequest.of(
            store,
            "completeUpload",
            () -> {
              if (!done.getAndSet(true)) {
                before.run();
              }
            });
    CommitReport report =
        new JobCommit(
                path -> asleep,
                by.directory(),
                CommitLog.inBucket(path -> asleep, TestJob.LOG),
                by.settings()
                    .sleeping(
                        (time, why) -> {
                          pass(time, why);
                          onPause.run();
                        }),
                CommitProgress.NONE)
            .run(
                new CommitRequest(
                    by.outputJob(),
                    Manifests.of(by.chosen()),
                    Overwrite.none(),
                    Optional.of(Instant.now())));
    // Another process may have ended the entry.
    if (report.open().isPresent()) {
      report.open().get().finish();
    }
    return report;
  }

  @Test
  void aSleeperDoesNotAppearThatWasExecutedBesideAnOverwriteThatDied() throws IOException {
    TestJob sleeper = settling("sleeper").task("a", "day=1/0");
    TestJob last = settling("last").task("a", "day=1/8");
    try {
      insertAround(
          sleeper,
          () -> {
            settling("dead").task("a", "day=1/7").decideAndDie(Overwrite.directoriesOfFiles());
            recovery().run(GRACE);
            store.pass(Duration.ofMinutes(30));
            commit(last, Overwrite.directoriesOfFiles());
          });
    } catch (CommitStateUnknownException | CommitDamagedException e) {
      assertThat(e).hasMessageContaining("sleeper");
    }
    recovery().run(NOW);
    assertThat(data()).containsExactly(last.key("day=1/8"));
    assertThat(store.pendingKeys()).isEmpty();
  }

  /** It is neither lost nor superseded as long as it may appear. */
  @Test
  void aCompleteInProgressIsWaitedForThoughALaterEntryReplacesItsDirectory() throws IOException {
    TestJob first = settling("first").task("a", "day=1/0");
    AtomicBoolean ended = new AtomicBoolean();
    onPause =
        () -> {
          if (!ended.getAndSet(true)) {
            endCompleteUnchecked(first);
          }
        };
    insertAround(
        first,
        () -> {
          store.beginCompleting(first.key("day=1/0"));
          settling("dead").task("a", "day=1/7").decideAndDie(Overwrite.directoriesOfFiles());
        });
    assertThat(ended).as("it has waited").isTrue();
    assertThat(data()).containsExactly(first.key("day=1/0"));
    TestJob last = settling("last").task("a", "day=1/8");
    commit(last, Overwrite.directoriesOfFiles());
    recovery().run(NOW);
    assertThat(data()).containsExactly(last.key("day=1/8"));
  }

  @Test
  void aRecoveryOfTwoOverwritesWaitsForACompleteInProgress() throws IOException {
    TestJob first = settling("first").task("a", "day=1/0");
    first.decideAndDie(Overwrite.none());
    for (String id : List.of("second", "third")) {
      settling(id).task("a", "day=1/" + id).decideAndDie(Overwrite.directoriesOfFiles());
    }
    job = first;
    store.beginCompleting(first.key("day=1/0"));

    recovery().run(NOW);

    assertThat(waited).isGreaterThan(GRACE.minusSeconds(10));
    assertThat(data()).containsExactly("warehouse/t/day=1/third.third");
  }

  @Test
  void anOverwriteWaitsWhereARecoveryHasLeftFilesToOneThatHasNotEnded() throws IOException {
    TestJob first = settling("first").task("a", "day=1/0");
    first.decideAndDie(Overwrite.none());
    settling("second").task("a", "day=1/7").decideAndDie(Overwrite.directoriesOfFiles());
    settling("third").task("a", "day=1/8").decideAndDie(Overwrite.directoriesOfFiles());
    job = first;
    store.beginCompleting(first.key("day=1/0"));
    recovery().run(GRACE);
    waited = Duration.ZERO;

    TestJob last = settling("last").task("a", "day=1/9");
    commit(last, Overwrite.directoriesOfFiles());

    assertThat(waited).isGreaterThan(GRACE.minusSeconds(10));
    assertThat(data()).containsExactly(last.key("day=1/9"));
  }

  @Test
  void whatAnOverwriteHasListedIsNotCutBeforeItCanDecide() throws IOException {
    job("old").task("a", "day=1/0").decideAndDie(Overwrite.none());
    // The highest entry stays in any case.
    insert(job("higher").task("a", "day=2/0"));
    store.pass(Duration.ofDays(8));
    TestJob overwrite = job("overwrite").task("a", "day=1/7");
    LogTail listed = overwrite.log().tail();
    EntryDraft draft = overwrite.draft(Overwrite.directoriesOfFiles(), listed);
    recovery().run(NOW);
    store.pass(Duration.ofMinutes(6));

    assertThat(overwrite.log().cut()).isZero();

    job.log().decide(draft, listed);
    recovery().run(NOW);
    assertThat(data()).containsExactly(overwrite.key("day=1/7"), T + "day=2/0.higher");
  }
}
