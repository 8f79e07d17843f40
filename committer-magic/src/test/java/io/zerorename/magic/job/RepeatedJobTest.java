package io.zerorename.magic.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.BeforeRequest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that a scheduler submits again under the same {@code zerorename.run.id}. */
class RepeatedJobTest extends SimulatedJobs {
  private SimulatedJob submitted(int number, String mode, String records) throws IOException {
    SimulatedJob submitted =
        new SimulatedJob(store, directory, number)
            .with(CoreKeys.RUN_ID.name(), "today")
            .with(MapReduceKeys.CONFLICT_MODE.name(), mode)
            .withRecordsOn(records);
    submitted.setUp().task(0, 0, "a", "b");
    return submitted;
  }

  @ParameterizedTest
  @CsvSource({"append, file", "fail, s3a"})
  void aRepetitionWritesNothingAndSucceeds(String mode, String records) throws IOException {
    submitted(1, mode, records).commit();
    List<String> files = job.files();
    byte[] success = store.content("out/_SUCCESS");
    SimulatedJob again = submitted(2, mode, records);
    AtomicBoolean looked = new AtomicBoolean();
    ObjectStore beside =
        BeforeRequest.of(
            store,
            "headObject",
            () -> {
              if (!looked.getAndSet(true)) {
                again.task(1, 0, "late");
              }
            });
    again.committer(path -> beside).commitJob(again.context());
    assertThat(looked).isTrue();
    again.commit();
    assertThat(job.files()).isEqualTo(files).hasSize(3);
    assertThat(store.content("out/_SUCCESS")).isEqualTo(success);
    assertThat(store.pendingKeys()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"append, file", "fail, s3a"})
  void aRepetitionCompletesTheJobThatWasKilled(String mode, String records) throws IOException {
    SimulatedJob killed = submitted(1, mode, records);
    killed.breakOffBefore(1);
    submitted(2, mode, records).commit();
    String id = killed.uuid();
    assertThat(job.files()).hasSize(3).allMatch(it -> it.matches("_SUCCESS|[ab](-" + id + ")?"));
    assertThat(new String(store.content("out/_SUCCESS"), UTF_8)).contains(id);
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aReplacementIsWrittenAgain() throws IOException {
    submitted(1, "replace", "file").commit();
    SimulatedJob again = submitted(2, "replace", "file");
    again.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a-" + again.uuid(), "b-" + again.uuid());
  }
}
