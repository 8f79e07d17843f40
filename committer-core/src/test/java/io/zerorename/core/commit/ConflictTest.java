package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Overwrites that are to fail where others have changed since what they replace. */
class ConflictTest extends TimedCommits {
  private static final String OLD = T + "day=1/old";

  private final Configuration conf = new Configuration(false);

  @BeforeEach
  void oldFile() throws IOException {
    conf.set(CoreKeys.CONFLICT.name(), "fail");
    store.plant(OLD, new byte[1]);
    store.pass(Duration.ofMinutes(1));
    job.task("a", "day=1/0");
  }

  private SeenLog begin() throws IOException {
    return SeenLog.now(job.log(), conf, "bucket");
  }

  private static CommitReport overwrite(TestJob by, SeenLog seen) throws IOException {
    return by.commit(
        new CommitRequest(
            by.outputJob(),
            Manifests.of(by.chosen()),
            Overwrite.directoriesOfFiles(),
            Optional.of(by.log().now()),
            () -> {},
            () -> {},
            CommitRequest.Committer.SOLE,
            seen));
  }

  private void assertFails(TestJob by, SeenLog seen, String... why) throws IOException {
    assertThatThrownBy(() -> overwrite(by, seen))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining(
            "ZR-1139: what it replaces has changed since it began at " + seen.listed())
        .hasMessageContainingAll(why);
    by.abort();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(data()).contains(OLD).doesNotContain(by.key("day=1/0"));
  }

  private void assertReplaces(SeenLog seen) throws IOException {
    overwrite(job, seen);
    assertThat(data()).contains(job.key("day=1/0")).doesNotContain(OLD);
  }

  @Test
  void anEntrySinceTheBeginFailsIt() throws IOException {
    SeenLog seen = begin();
    job("job-2").task("a", "day=1/1").insert();
    assertFails(job, seen, "entry 1 (ADD, INSERT into db.t) of job job-2 was decided at ");
  }

  @Test
  void anEntryInAnotherDirectoryDoesNot() throws IOException {
    SeenLog seen = begin();
    job("job-2").task("a", "day=2/1").overwrite();
    assertReplaces(seen);
  }

  /** Its files are newer, and carry its id. */
  @Test
  void anEntryThatWasOpenAtTheBeginDoesNot() throws IOException {
    TestJob other = job("job-2").task("a", "day=1/1", "day=1/2");
    other.decideAndDie(Overwrite.none());
    SeenLog seen = begin();
    store.pass(Duration.ofMinutes(1));
    complete(upload(other, 0));
    assertReplaces(seen);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void ofTwoAtTheSameMomentOneFails() throws IOException {
    SeenLog seen = begin();
    TestJob other = job("job-2").task("a", "day=1/0");
    ObjectStore overtaken =
        BeforeRequest.first(store, "putObjectIfAbsent", () -> overwrite(other, seen));
    TestJob slower = job("job-3").through(path -> overtaken).task("a", "day=1/1");

    assertThatThrownBy(() -> overwrite(slower, seen))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContainingAll(
            "ZR-1139: ",
            "entry 1 (REPLACE, INSERT into db.t) of job job-2 was decided just before");
    assertThat(data()).containsExactly(other.key("day=1/0"));
    assertThat(job.log().tail().highest()).as("it has no entry").isEqualTo(1);
  }

  @Test
  void aNewerFileOfAnotherProgramFailsIt() throws IOException {
    SeenLog seen = begin();
    store.plant(T + "day=1/new", new byte[1]);
    assertFails(job, seen, "s3a://bucket/" + T + "day=1/new was written at ", "by a program that");
    assertThat(data()).contains(T + "day=1/new");
  }

  /** The store's times of objects have no fractions: one that is written now would be older. */
  @Test
  void theBeginIsTheWholeSecondBefore() throws IOException {
    Instant begun = begin().listed();
    assertThat(begun).isEqualTo(begun.truncatedTo(ChronoUnit.SECONDS));
    assertThat(begun).isBetween(store.now().minusSeconds(2), store.now());
  }

  @Test
  void whatIsOlderOrNoDataOrElsewhereDoesNot() throws IOException {
    SeenLog seen = begin();
    store.plant(T + "day=1/_SUCCESS", new byte[1]);
    store.plant(T + "day=1/sub/", new byte[0]);
    store.plant(T + "day=2/new", new byte[1]);
    assertReplaces(seen);
  }

  @Test
  void aJobThatIsDecidedIsNotAskedAgain() throws IOException {
    SeenLog seen = begin();
    overwrite(job, seen);
    store.plant(T + "day=1/new", new byte[1]);
    job("job-2").task("a", "day=1/1").insert();
    assertThat(overwrite(job, seen).decidedBefore()).isTrue();
  }

  private Map<RequestType, Long> requests(String conflict, String id) throws IOException {
    conf.set(CoreKeys.CONFLICT.name(), conflict);
    TestJob by = job(id).task("a", "day=1/0");
    store.resetCounts();
    overwrite(by, begin());
    return new EnumMap<>(store.requests());
  }

  @Test
  void itCostsOneListAndWithoutTheKeyNothing() throws IOException {
    job.overwrite();
    assertThat(begin()).isNotEqualTo(SeenLog.ALL);
    Map<RequestType, Long> expected = requests("order", "job-2");
    expected.merge(RequestType.LIST, 1L, Long::sum);
    assertThat(requests("fail", "job-3")).isEqualTo(expected);
    conf.unset(CoreKeys.CONFLICT.name());
    assertThat(begin()).isEqualTo(SeenLog.ALL);
  }
}
