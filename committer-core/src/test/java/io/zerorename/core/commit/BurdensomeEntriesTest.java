package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.BeforeRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Entries that are large, slow or left open, and what they cost those that come after. */
class BurdensomeEntriesTest extends TimedCommits {
  @Test
  void aWideInsertThatIsAliveIsFollowed() throws IOException {
    String[] days =
        IntStream.rangeClosed(1, 501).mapToObj(i -> "day=" + i + "/0").toArray(String[]::new);
    job.task("a", days);
    TestJob overwrite = job("job-2").task("a", "day=1/0");
    ObjectStore sleeping =
        BeforeRequest.first(
            store, "completeUpload", () -> commit(overwrite, Overwrite.directoriesOfFiles()));
    job.through(path -> sleeping).sleeping(this::pass).insert();
    assertThat(data().stream().filter(it -> it.startsWith(T + "day=1/")).toList())
        .containsExactly(overwrite.key("day=1/0"));
  }

  @Test
  void anOverwriteWaitsFiveMinutesAtMost() throws IOException {
    for (int i = 0; i < 6; i++) {
      TestJob dead = job("dead-" + i).task("a", "day=1/0");
      dead.decideAndDie(Overwrite.none());
      vanish(dead, 0);
    }
    TestJob overwrite = job("job-2").settlingFor(Duration.ofMinutes(5)).task("a", "day=1/0");
    commit(overwrite, Overwrite.directoriesOfFiles());
    assertThat(waited).isLessThanOrEqualTo(Duration.ofMinutes(6));
  }

  /** It overlaps the overwrites in one partition, and stays open because of the other. */
  @Test
  void anEntryThatIsLeftMakesOneOverwriteWaitAndNotEach() throws IOException {
    onAStoreThatCompletesOnce();
    job.settlingFor(Duration.ofMinutes(5))
        .task("a", "day=1/0", "day=2/0")
        .decideAndDie(Overwrite.none());
    vanish(job, 0);
    store.pass(Duration.ofMinutes(1));
    store.plant(T + "day=2/foreign", new byte[1]);
    assertThat(recover()).isInstanceOf(Recovered.Left.class);
    for (int i = 0; i < 3; i++) {
      Duration before = waited;
      TestJob next = job("over-" + i).settlingFor(Duration.ofMinutes(5)).task("a", "day=1/0");
      commit(next, Overwrite.directoriesOfFiles());
      assertThat(waited.minus(before).toMinutes() > 3).isEqualTo(i == 0);
    }
  }

  @Test
  void aSecondDeciderDoesNotOverwriteWhatOthersHaveWrittenSince() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0").decideAndDie(Overwrite.directoriesOfFiles());
    store.pass(Duration.ofHours(3));
    store.deleteObjects(data());
    store.plant(T + "day=1/foreign", new byte[1]);
    assertThatThrownBy(() -> commit(job, Overwrite.directoriesOfFiles()))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("was committed as entry 1 and interrupted")
        .hasMessageContaining("day=1/foreign is newer than the entry")
        .hasMessageContaining("Look at the data, then run: zerorename recover");
    assertThat(data()).containsExactly(T + "day=1/foreign");
  }

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
