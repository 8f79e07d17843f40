package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which earlier entries an overwrite brings to an end, and what becomes of them. */
class ClearDirectoriesTest extends TimedCommits {
  private SortedSet<Long> following(String... directories) throws IOException {
    List<Path> paths =
        Arrays.stream(directories)
            .map(it -> it.isEmpty() ? TestJob.TABLE : new Path(TestJob.TABLE, it))
            .toList();
    LogTail tail = job.log().tail();
    return job.log().overlapping(tail.open(), new DirectorySet(paths), tail);
  }

  /** An INSERT into many directories names what contains them. */
  @ParameterizedTest
  @CsvSource({
    "day=1, true",
    "'', true",
    "day=1/hour=1, true",
    "day=2, true",
    "day=10, false",
    "day=3, false"
  })
  void anOverwriteFollowsInsertsInAboveAndBelowItsDirectories(String replaced, boolean follows)
      throws IOException {
    job.task("a", "day=2/0", "day=1/0").decideAndDie(Overwrite.none());
    assertThat(following("day=4", replaced).contains(1L)).isEqualTo(follows);
  }

  /** That one lists, and may delete, whatever lies below. */
  @ParameterizedTest
  @CsvSource({"day=1, true", "'', true", "day=1/hour=1, true", "day=10, false", "day=3, false"})
  void anOverwriteFollowsOverwritesAtAboveAndBelowItsDirectories(String replaced, boolean follows)
      throws IOException {
    job.task("a").decideAndDie(Overwrite.directory(new Path(TestJob.TABLE, "day=1")));
    assertThat(following(replaced).contains(1L)).isEqualTo(follows);
  }

  @Test
  void anOverwriteEndsACommitThatOnlyDeletesInItsDirectories() throws IOException {
    store.plant(T + "day=1/sub/old", new byte[1]);
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a");
    job.decideAndDie(Overwrite.directory(new Path(TestJob.TABLE, "day=1")));
    TestJob next = job("job-2").task("a", "day=1/sub/0");
    commit(next, Overwrite.directoriesOfFiles());
    assertThat(data()).containsExactly(T + "day=1/old", next.key("day=1/sub/0"));
    assertThat(recovery().run(NOW)).as("the rest of it").hasSize(1);
    assertThat(data())
        .as("and a marker, for a directory that was to be empty")
        .containsExactly(T + "day=1/", next.key("day=1/sub/0"));
  }

  @Test
  void aCommitThatChangesNothingIsFollowedByNobodyAndMayHaveAnEndToWrite() throws IOException {
    job.task("a");
    job.decideAndDie(Overwrite.none());
    assertThat(following("")).isEmpty();
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(ended).hasSize(1);
  }

  @Test
  void aJobThatNeverCommitsIsFollowedByNobody() throws IOException {
    job.task("a", "day=1/0").abort();
    job.log().decideAgainst("job-9", job.log().tail());
    assertThat(job.log().tail().open()).containsExactly(2L);
    assertThat(following("")).isEmpty();
  }

  /** A job may write to several buckets. */
  @Test
  void uploadsAreGoneWithTheirBucket() throws IOException {
    job.task("a", "day=1/0").losingTask("b", "day=1/9");
    store.faults().failFrom(RequestType.LIST_PARTS, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_BUCKET);
    store.faults().failFrom(RequestType.LIST_UPLOADS, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_BUCKET);
    assertThat(job.abort()).hasValue(0);
    assertThat(job.log().tail().open()).isEmpty();
  }
}
