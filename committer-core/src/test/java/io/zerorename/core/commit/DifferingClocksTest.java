package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that differ, and processes that sleep for days: a job is decided once all the same. */
class DifferingClocksTest extends TimedCommits {
  @BeforeEach
  void nobodyRuns() {}

  private CommitReport commitOn(ObjectStores stores, TestJob by, Overwrite overwrite)
      throws IOException {
    CommitReport report =
        new JobCommit(
                stores,
                by.directory(),
                CommitLog.inBucket(stores, TestJob.LOG),
                by.settings().sleeping(this::pass),
                CommitProgress.NONE)
            .run(
                new CommitRequest(
                    by.outputJob(),
                    Manifests.of(by.chosen()),
                    overwrite,
                    Optional.of(Instant.now())));
    if (report.open().isPresent()) {
      report.open().get().finish();
    }
    return report;
  }

  private static ObjectStores each(ObjectStore store) {
    return path -> store;
  }

  @Test
  void aSecondMasterWhoseClockIsAheadFindsTheDecision() throws IOException {
    Duration ahead = Duration.ofHours(2);
    job.task("a", "day=1/0");
    insert(job);
    // More than the first answer of a listing has, which a reader of the log takes whole.
    for (int i = 0; i < ObjectStore.PAGE_SIZE / 2; i++) {
      insert(job("job-" + (i + 10)).task("a", "day=2/0"));
    }
    // The second master: tasks of the first were run again.
    TestJob again =
        new TestJob(
                store,
                FileSystem.getLocal(new Configuration(false)),
                workDir.resolve("second"),
                "job-1")
            .task("b", "day=1/1");
    CommitReport report =
        new JobCommit(store, again.directory(), again.log(), again.settings(), CommitProgress.NONE)
            .run(
                new CommitRequest(
                    again.outputJob(),
                    Manifests.of(again.chosen()),
                    Overwrite.none(),
                    Optional.of(Instant.now().plus(ahead))));
    assertThat(report.open()).isEmpty();
    assertThat(data()).doesNotContain(again.key("day=1/1"));
  }

  /**
   * A store refuses no machine for that: once it has refused a request, the SDK signs by its time.
   *
   * @param ahead hours by which the store's clock is ahead of this machine's
   */
  @ParameterizedTest
  @ValueSource(ints = {-30, -3, 3, 30})
  void aMasterFindsWhatWasDecidedSinceATimeOfTheStoreWhateverItsOwnClockSays(int ahead)
      throws IOException {
    store.pass(Duration.ofHours(ahead));
    Instant begun = store.now();
    insert(job.task("a", "day=1/0"));
    for (int i = 0; i < 3; i++) {
      insert(job("job-" + (i + 10)).task("a", "day=2/0"));
    }
    store.pass(Duration.ofHours(1));

    assertThat(job.log().find("job-1", job.log().tailSince(begun))).isPresent();
  }

  @Test
  void anAbortWhoseClockIsAheadFindsTheDecision() throws IOException {
    insert(job.task("a", "day=1/0"));
    insert(job("job-10").task("a", "day=2/0"));
    assertThat(
            new JobAbort(
                    store,
                    job.directory(),
                    job.log(),
                    job.settings(),
                    Optional.of(Instant.now().plus(Duration.ofHours(2))))
                .run())
        .isInstanceOf(JobAbort.Result.Committed.class);
  }

  /** Its entry could have been deleted as old: to decide against it would say that it never was. */
  @Test
  void anAbortDecidesNothingAboutAJobOfLastWeek() throws IOException {
    job.task("a", "day=1/0");
    assertThat(
            new JobAbort(
                    store,
                    job.directory(),
                    job.log(),
                    job.settings(),
                    Optional.of(Instant.now().minus(Duration.ofDays(8))))
                .run())
        .isEqualTo(new JobAbort.Result.Aborted(1));
    assertThat(job.log().tail().numbers()).isEmpty();
  }

  @Test
  void aJobWhoseClockIsAheadFindsThatItWasAborted() throws IOException {
    job.smallTask("a", "day=1/0");
    assertThat(job.abort()).isInstanceOf(JobAbort.Result.Aborted.class);
    insert(job("job-10").task("a", "day=2/0"));
    assertThatThrownBy(
            () ->
                new JobCommit(
                        store, job.directory(), job.log(), job.settings(), CommitProgress.NONE)
                    .run(
                        new CommitRequest(
                            job.outputJob(),
                            Manifests.of(job.chosen()),
                            Overwrite.none(),
                            Optional.of(Instant.now().plus(Duration.ofHours(2))))))
        .isInstanceOf(CommitFailedException.class);
  }

  @Test
  void aProcessThatSleepsForDaysBehindItsListingDoesNotTakeANumberAgain() throws IOException {
    insert(job("job-0").task("a", "day=0/0"));
    AtomicInteger lists = new AtomicInteger();
    boolean[] slept = {false};
    job.task("a", "day=1/0");
    ObjectStore sleeping =
        (ObjectStore)
            Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("now") && lists.get() > 0 && !slept[0]) {
                    slept[0] = true;
                    for (int i = 0; i < 3; i++) {
                      insert(job("other-" + i).task("a", "day=2/" + i));
                    }
                    store.pass(Duration.ofDays(8));
                    insert(job("other-9").task("a", "day=2/9"));
                    job.log().cut();
                    job("open").task("a", "day=1/open").decideAndDie(Overwrite.none());
                  }
                  try {
                    Object result = method.invoke(store, arguments);
                    if (method.getName().equals("listObjects")) {
                      lists.incrementAndGet();
                    }
                    return result;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    long highest;
    try {
      commitOn(each(sleeping), job, Overwrite.directoriesOfFiles());
    } catch (CommitFailedException e) {
      return;
    }
    highest = job.log().tail().highest();
    assertThat(job.number()).isEqualTo(highest);
    recovery().run(NOW);
    assertThat(data().stream().filter(it -> it.startsWith(T + "day=1/")).toList())
        .containsExactly(job.key("day=1/0"));
  }
}
