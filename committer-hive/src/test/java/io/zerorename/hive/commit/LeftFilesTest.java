package io.zerorename.hive.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.commit.TimedCommits;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.Test;

/**
 * What of the files in a directory a job may replace where the metastore does not know the
 * directory.
 */
class LeftFilesTest extends TimedCommits {
  private static final Path DAY_1 = new Path(TestJob.TABLE, "day=1");

  private List<ObjectSummary> listed() throws IOException {
    return RemoteIterators.toList(store.listObjects(T + "day=1/"));
  }

  private List<String> left(Instant begun) throws IOException {
    return LeftFiles.old(Map.of(DAY_1, listed()), begun, path -> store, job.log())
        .getOrDefault(DAY_1, List.of())
        .stream()
        .map(ObjectSummary::key)
        .toList();
  }

  @Test
  void filesOfACommitThatHasEndedAreLeft() throws IOException {
    job.task("a", "day=1/0").insert();
    store.plant(T + "day=1/foreign", new byte[1]);
    assertThat(left(Instant.now()))
        .containsExactlyInAnyOrder(job.key("day=1/0"), T + "day=1/foreign");
  }

  @Test
  void filesThatAreNewerThanTheJobAreNot() throws IOException {
    store.plant(T + "day=1/foreign", new byte[1]);
    assertThat(left(Instant.now().minus(Duration.ofMinutes(1)))).isEmpty();
  }

  @Test
  void nothingIsLeftWhereACommitHasYetToEnd() throws IOException {
    store.plant(T + "day=1/foreign", new byte[1]);
    job.task("a", "day=1/0").commitAndDie(Overwrite.none());
    assertThat(left(Instant.now())).isEmpty();
  }
}
