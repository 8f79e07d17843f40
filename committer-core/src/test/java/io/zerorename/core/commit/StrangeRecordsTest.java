package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.LogTail;
import io.zerorename.core.recovery.Recovered;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is among the records of a log and was not written by it, or was damaged since. */
class StrangeRecordsTest extends TimedCommits {
  private static final String LOG_PREFIX = "warehouse/_zerorename/t-1/";

  private String entryKey(long number) {
    return LOG_PREFIX + "log/_" + String.format("%012d", 999_999_999_999L - number);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "_999999999990.ended.complete.add.1.1.%zz",
        "_999999999990.ended.complete.add.99999999999999999999.1.x",
        "_000000000000"
      })
  void aForeignNameDoesNotStopJobs(String name) throws IOException {
    store.plant(LOG_PREFIX + "log/" + name, new byte[1]);
    insert(job.task("a", "day=1/0"));
    assertThat(data()).containsExactly(job.key("day=1/0"));
    assertThat(store.pendingKeys()).isEmpty();
    LogTail tail = job.log().tail();
    assertThat(tail.numbers()).as("what is foreign is no entry").containsExactly(1L);
    assertThat(tail.open()).isEmpty();
    assertThat(job.number()).isEqualTo(1);
  }

  /** It is another object than the one that has ended. */
  @Test
  void anEndedEntryThatWasOverwrittenIsNotTakenForEnded() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    commit(job("job-2").task("a", "day=2/0"), Overwrite.directoriesOfFiles());
    store.plant(entryKey(2), new byte[1]);
    assertThat(recovery().run(NOW))
        .as("it may replace files of the first")
        .hasExactlyElementsOfTypes(Recovered.Failed.class, Recovered.Failed.class);
    recovery().giveUp();
    store.pass(Duration.ofMinutes(22));
    assertThat(recovery().giveUp())
        .hasExactlyElementsOfTypes(Recovered.Completed.class, Recovered.GivenUp.class);
    assertThat(recovery().open()).isEmpty();
  }
}
