package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.CommitLog;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How long ago old files were listed, where one clock says more than another. */
class ListingTimeTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration MORE = LIMIT.plusSeconds(1);

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private final CommitLog log = new CommitLog(store, TestJob.LOG);

  @Test
  void theClockOfTheStoreCounts() throws IOException {
    ListingTime listed = ListingTime.now(log);
    store.pass(MORE);
    assertThat(listed.isWithin(LIMIT, log)).isFalse();
  }

  /** As after a pause behind an answer, where the machine's clock was set back as well. */
  @Test
  void theTimeSinceTheMachineWasStartedCountsWhateverTheStoreSays() throws IOException {
    ListingTime listed =
        new ListingTime(log.now(), Instant.now(), System.nanoTime() - MORE.toNanos());
    assertThat(listed.isWithin(LIMIT, log)).isFalse();
  }

  /** As of a virtual machine that was suspended. */
  @Test
  void theClockOfTheMachineCountsWhateverTheStoreSays() throws IOException {
    ListingTime listed = new ListingTime(log.now(), Instant.now().minus(MORE), System.nanoTime());
    assertThat(listed.isWithin(LIMIT, log)).isFalse();
  }
}
