package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lets the store fail from every request of an overwriting job on, from a task's first Create to
 * the last abort of the clean-up, and looks at what users see then and after the next step that
 * they would take. Single failures are {@link FaultSweepTest}'s.
 */
class EveryRequestFailsTest {
  private static final String T = "warehouse/t/";
  private static final Set<String> OLD =
      Set.of(T + "day=1/old1", T + "day=1/old2", T + "day=2/old", T + "gone/old");

  enum Failure {
    OUTAGE(Moment.BEFORE_EFFECT),
    ANSWERS_LOST_FROM_THEN_ON(Moment.AFTER_EFFECT);

    private final Moment moment;

    Failure(Moment moment) {
      this.moment = moment;
    }

    void plan(FaultPlan faults, int nth) {
      faults.failAnyFrom(nth, moment, Kind.AMBIGUOUS);
    }
  }

  @TempDir java.nio.file.Path workDir;

  @ParameterizedTest
  @EnumSource
  void theResultIsOldOrNewOrKnownToBeUnfinished(Failure failure) throws IOException {
    for (Variant variant : List.of(Variant.aws(), Variant.aws().withSecondCompleteRefused())) {
      int nth = 1;
      while (survives(failure, nth, variant)) {
        nth++;
      }
      // The job has 3 files of 2 requests, 1 losing file, a listing of uploads and one of objects,
      // 3 Completes, a delete, a marker, a listing of uploads because of the losing file, and its
      // abort, after which the parts are listed.
      assertThat(nth - 1).isEqualTo(8 + 1 + 1 + 3 + 1 + 1 + 1 + 2);
    }
  }

  /** Returns false once there is no n-th request. */
  private boolean survives(Failure failure, int nth, Variant variant) throws IOException {
    String when = failure + " of request " + nth;
    InMemoryObjectStore store = new InMemoryObjectStore("bucket", variant);
    OLD.forEach(key -> store.plant(key, new byte[1]));
    TestJob job =
        TestJob.withLogIn(
            new InMemoryObjectStore("logs"),
            store,
            workDir.resolve(variant.secondCompleteSucceeds() + "-" + nth),
            "job-" + failure);
    Set<String> all = Set.of(job.key("day=1/0"), job.key("day=1/1"), job.key("day=2/0"));
    Set<String> after = new TreeSet<>(all);
    after.add(T + "gone/");
    Path gone = new Path(TestJob.TABLE, "gone");
    Overwrite overwrite =
        written -> {
          Set<Path> directories =
              new HashSet<>(Overwrite.directoriesOfFiles().directories(written));
          directories.add(gone);
          return directories;
        };

    failure.plan(store.faults(), nth);
    boolean tasksDone = false;
    try {
      job.task("a", "day=1/0", "day=1/1").losingTask("b0", "day=2/9").task("b1", "day=2/0");
      tasksDone = true;
      job.commit(overwrite);
      // What was promised is there, whatever happened to the clean-up.
      assertThat(keys(store)).as(when).isEqualTo(after);
      assertThat(store.pendingKeys()).as(when).doesNotContainAnyElementsOf(all);
    } catch (CommitStateUnknownException e) {
      assertThat(e).as(when).hasMessageContaining("committed");
      oldSurvivesUnlessAllNewIsThere(when, store, all);
    } catch (IOException e) {
      assertThat(e)
          .as(when)
          .isInstanceOf(tasksDone ? CommitFailedException.class : IOException.class);
      assertThat(keys(store)).as(when).isEqualTo(OLD);
      store.faults().clear();
      job.abort();
      assertThat(keys(store)).as(when).isEqualTo(OLD);
      assertThat(store.pendingKeys()).as(when).isEmpty();
      job.abort();
      return true;
    }
    boolean struck = store.faults().struck() > 0;

    store.faults().clear();
    try {
      job.commit(overwrite);
    } catch (IOException e) {
      fail(when + ": the commit cannot be carried to its end", e);
    }
    assertThat(keys(store)).as(when).isEqualTo(after);
    assertThat(store.pendingKeys()).as(when).doesNotContainAnyElementsOf(after);
    return struck;
  }

  private static void oldSurvivesUnlessAllNewIsThere(
      String when, InMemoryObjectStore store, Set<String> all) {
    Set<String> there = keys(store);
    if (there.containsAll(all)) {
      return;
    }
    assertThat(there).as(when).containsAll(OLD);
    there.removeAll(OLD);
    assertThat(all).as(when).containsAll(there);
  }

  private static Set<String> keys(InMemoryObjectStore store) {
    return new TreeSet<>(store.keys());
  }
}
