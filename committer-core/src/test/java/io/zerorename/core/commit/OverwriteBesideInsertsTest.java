package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.LogEntry;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.BeforeRequest;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An overwrite of one partition never waits for INSERTs that run in others. */
class OverwriteBesideInsertsTest extends TimedCommits {
  /** One whose process is alive and may complete uploads at any time. */
  private LogEntry insertRuns(String id) throws IOException {
    return job(id).smallTask("a", "day=1/0").task("b", "day=2/0").decideAndDie(Overwrite.none());
  }

  private void overwriteDoesNotWait(ObjectStore through) throws IOException {
    TestJob overwrite = job("job-9").through(path -> through);
    CommitReport report =
        overwrite
            .smallTask("a", "day=9/0")
            .task("b", "day=9/1")
            .sleeping(
                (time, why) -> {
                  throw new AssertionError("it waits: " + why);
                })
            .overwrite();
    LogEntry entry = report.entry();
    assertThat(entry.follows()).isEmpty();
    assertThat(data()).contains(overwrite.key("day=9/0"), overwrite.key("day=9/1"));
    assertThat(job.log().tail().isEnded(entry.number())).isTrue();
  }

  @Test
  void whetherTheyAreDecidedWhileItDecidesOrExecutes() throws IOException {
    job("job-0").smallTask("a", "day=9/0").insert();
    // Tries for a number, its marker.
    Set<Integer> beside = Set.of(1, 2, 4);
    AtomicInteger puts = new AtomicInteger();
    overwriteDoesNotWait(
        BeforeRequest.of(
            store,
            "putObjectIfAbsent",
            () -> {
              if (beside.contains(puts.incrementAndGet())) {
                insertRuns("live-" + puts);
              }
            }));
    assertThat(puts).hasValue(4);
  }

  @Test
  void anInsertThatIsCommittedBetweenTheLookAndTheListingIsReplaced() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    TestJob other = job("job-2").task("a", "day=1/1");
    ObjectStore meanwhile = BeforeRequest.nth(store, "listObjects", 2, other::insert);
    TestJob overwrite = job("job-9").through(path -> meanwhile).task("a", "day=1/0");
    overwrite.overwrite();

    assertThat(job.log().read(2).orElseThrow().follows()).containsExactly(1L);
    assertThat(data()).containsExactly(overwrite.key("day=1/0"));
  }
}
