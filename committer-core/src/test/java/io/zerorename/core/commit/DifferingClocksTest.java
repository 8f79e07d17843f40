package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.Test;

/** Clocks that differ, and processes that sleep for days: a job is decided once all the same. */
class DifferingClocksTest extends TimedCommits {
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
        again.commit(
            new CommitRequest(
                again.outputJob(),
                Manifests.of(again.chosen()),
                Overwrite.none(),
                Optional.of(Instant.now().plus(ahead))));
    assertThat(report.open()).isEmpty();
    assertThat(data()).doesNotContain(again.key("day=1/1"));
  }

  private JobAbort.Result abort(Instant begun) throws IOException {
    return new JobAbort(store, job.directory(), job.log(), job.settings(), Optional.of(begun))
        .run();
  }

  @Test
  void anAbortWhoseClockIsAheadFindsTheDecision() throws IOException {
    insert(job.task("a", "day=1/0"));
    insert(job("job-10").task("a", "day=2/0"));
    assertThat(abort(Instant.now().plus(Duration.ofHours(2))))
        .isInstanceOf(JobAbort.Result.Committed.class);
  }

  /** Its entry could have been deleted as old: to decide against it would say that it never was. */
  @Test
  void anAbortDecidesNothingAboutAJobOfLastWeek() throws IOException {
    job.task("a", "day=1/0");
    assertThat(abort(Instant.now().minus(Duration.ofDays(8))))
        .isEqualTo(new JobAbort.Result.Aborted(1));
    assertThat(job.log().tail().numbers()).isEmpty();
  }

  private void sleepForDays() {
    try {
      for (int i = 0; i < 3; i++) {
        insert(job("other-" + i).task("a", "day=2/" + i));
      }
      store.pass(Duration.ofDays(8));
      insert(job("other-9").task("a", "day=2/9"));
      job.log().cut();
      job("open").task("a", "day=1/open").decideAndDie(Overwrite.none());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aProcessThatSleepsForDaysBehindItsListingDoesNotTakeANumberAgain() throws IOException {
    insert(job("job-0").task("a", "day=0/0"));
    job.task("a", "day=1/0");
    ObjectStore sleeping =
        new ForwardingStore(store) {
          private boolean listed;
          private boolean slept;

          @Override
          public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
            listed = true;
            return super.listObjects(prefix);
          }

          @Override
          public Instant now() {
            if (listed && !slept) {
              slept = true;
              sleepForDays();
            }
            return super.now();
          }
        };
    long highest;
    try {
      job.through(path -> sleeping).sleeping(this::pass).overwrite();
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
