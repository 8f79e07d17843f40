package io.zerorename.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.commit.TimedCommits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Statements that must not meet commits which other processes are still executing. */
class WaitBehindCommitsTest extends TimedCommits {
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final List<Long> waitedFor = new ArrayList<>();

  private TestJob decided(String id) throws IOException {
    TestJob decided = job(id).task("a", "day=1/" + id);
    decided.decideAndDie(Overwrite.none());
    return decided;
  }

  @Test
  void aCommitThatIsLeftAloneLongEnoughIsResumed() throws IOException {
    TestJob job = decided("job-1");

    List<Recovered> results = recovery().runBehind(GRACE, commit -> waitedFor.add(commit.number()));

    assertThat(waitedFor).containsExactly(1L);
    assertThat(results).hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(store.keys()).contains(job.key("day=1/job-1"));
  }

  @Test
  void whatIsDecidedMeanwhileIsNotWaitedFor() throws IOException {
    decided("job-1");

    List<Recovered> results =
        recovery()
            .runBehind(
                GRACE,
                commit -> {
                  waitedFor.add(commit.number());
                  try {
                    decided("job-2");
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });

    assertThat(waitedFor).containsExactly(1L);
    assertThat(results).extracting(Recovered::number).containsExactly(1L);
  }

  @Test
  void nothingIsWaitedForWhereNothingIsOpen() throws IOException {
    assertThat(recovery().runBehind(GRACE, commit -> waitedFor.add(commit.number()))).isEmpty();
    assertThat(waitedFor).isEmpty();
  }
}
