package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.EndedEntries;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.testing.Decisions;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.Requests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that differ, and processes that sleep for days: a job is decided once all the same. */
class DifferingClocksTest extends TimedCommits {
  @Test
  void aSecondMasterWhoseClockIsAheadFindsTheDecision() throws IOException {
    Duration ahead = Duration.ofHours(2);
    job.task("a", "day=1/0");
    insert(job);
    // More than the first answer of a listing has, which a reader of the log takes whole.
    EndedEntries.add(store, job.log(), ObjectStore.PAGE_SIZE / 2, new Path(TestJob.TABLE, "day=2"));
    // The second master: tasks of the first were run again.
    TestJob again =
        new TestJob(
                store,
                FileSystem.getLocal(new Configuration(false)),
                workDir.resolve("second"),
                "job-1")
            .task("b", "day=1/1");
    CommitReport report = commit(again, Instant.now().plus(ahead));
    assertThat(report.open()).isEmpty();
    assertThat(data()).doesNotContain(again.key("day=1/1"));
  }

  private OptionalInt abort(Instant begun) throws IOException {
    return new JobAbort(store, job.directory(), job.log(), job.settings(), Optional.of(begun))
        .run();
  }

  @Test
  void anAbortWhoseClockIsAheadFindsTheDecision() throws IOException {
    insert(job.task("a", "day=1/0"));
    insert(job("job-10").task("a", "day=2/0"));
    assertThat(abort(Instant.now().plus(Duration.ofHours(2)))).isEmpty();
  }

  private CommitReport commit(TestJob by, Instant begun) throws IOException {
    return by.commit(
        Requests.of(
            by.outputJob(), Manifests.of(by.chosen()), Overwrite.none(), Optional.of(begun)));
  }

  /** Its set-up has noted the time of the store, and its master may run on another machine. */
  @ParameterizedTest
  @ValueSource(ints = {-8, 8})
  void howOldAJobIsTheClockOfTheStoreSays(int days) throws IOException {
    store.pass(Duration.ofDays(days));
    Instant longAgo = store.now().minus(Duration.ofDays(7)).minusSeconds(1);
    TestJob old = job("old").task("a", "day=2/0");

    commit(job.task("a", "day=1/0"), store.now());

    assertThat(data()).containsExactly(job.key("day=1/0"));
    assertThatThrownBy(() -> commit(old, longAgo))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("ZR-1107");
    new JobAbort(store, old.directory(), old.log(), old.settings(), Optional.of(longAgo)).run();
    assertThat(old.isDecided()).isFalse();
  }

  private void sleepForDays() {
    try {
      for (int i = 0; i < 3; i++) {
        insert(job("other-" + i).task("a", "day=2/" + i));
      }
      store.pass(Duration.ofDays(8));
      insert(job("other-9").task("a", "day=2/9"));
      job.log().cut(CoreKeys.FEWEST_LOG_DAYS);
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
    // As a statement of the engine does, which is of no age.
    TestJob sleeper = job.through(path -> sleeping);
    LogTail tail = sleeper.log().tail();
    Decisions.decide(sleeper.log(), sleeper.draft(Overwrite.directoriesOfFiles(), tail), tail);

    assertThat(job.number()).isEqualTo(job.log().tail().highest());
    recovery().run(NOW);
    assertThat(data().stream().filter(it -> it.startsWith(T + "day=1/")).toList())
        .containsExactly(job.key("day=1/0"));
  }
}
