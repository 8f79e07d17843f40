package io.zerorename.magic.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job meets the commit of an earlier one that was interrupted. */
class InterruptedCommitsTest extends SimulatedJobs {
  private SimulatedJob next;

  @BeforeEach
  void newNextJob() {
    next = new SimulatedJob(store, directory, 2).with(CoreKeys.RECOVERY_PATIENCE.name(), "0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void itIsResumedOnceTheNextJobHasEnded(String records) throws IOException {
    job.withRecordsOn(records);
    next.withRecordsOn(records);
    // So that the names of the next job are of its own.
    store.plant("out/old", new byte[1]);
    interrupt("a", "b");

    next.setUp();
    next.task(0, 0, "c");
    assertThat(job.files()).as("before the next job's commit").doesNotContain(named("b", job));
    next.commit();

    assertThat(job.files())
        .containsExactlyInAnyOrder(
            "_SUCCESS", "old", named("a", job), named("b", job), named("c", next));
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(states()).containsExactly(EntryState.COMPLETE, EntryState.COMPLETE);
    assertThat(new String(store.content("out/_SUCCESS"), UTF_8))
        .as("the marker of the later job")
        .contains(next.uuid());
  }

  @Test
  void itsMarkerIsWrittenWhereTheNextJobHasNone() throws IOException {
    store.plant("out/old", new byte[1]);
    interrupt("a");
    next.with("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false").setUp();
    next.commit();
    assertThat(job.files()).contains("_SUCCESS", named("a", job));
    assertThat(new String(store.content("out/_SUCCESS"), UTF_8)).contains(job.uuid());
  }

  /** As where the job itself finds that a file is lost. */
  @Test
  void ofADamagedOneThereIsNoMarker() throws IOException {
    store.plant("out/old", new byte[1]);
    interrupt("a", "b");
    PendingUploadSummary lost = store.listUploads("out/b-" + job.uuid()).next();
    store.loseUpload(lost.key(), lost.uploadId());
    JobOutput output = job.output();
    OutputRecovery engine =
        new OutputRecovery(
            "a test",
            output.destination(),
            List.of(output.destination()),
            job.conf(),
            output.stores(),
            false);
    CommitSettings settings = Waits.in((time, why) -> {}, job.settings());
    assertThat(
            new Recovery(output.stores(), output.log(), settings, engine)
                .run(Duration.ZERO, Manner.BY_OPERATOR))
        .hasSize(1)
        .allMatch(Recovered.Damaged.class::isInstance);
    assertThat(job.files()).containsExactlyInAnyOrder("old", named("a", job));
  }

  @Test
  void thatItCannotBeResumedFailsNoOtherJob() throws IOException {
    store.plant("out/old", new byte[1]);
    interrupt("a");
    next.setUp();
    next.task(0, 0, "c");
    // Its own file, then that of the other job.
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    next.commit();
    assertThat(job.files()).containsExactlyInAnyOrder("_SUCCESS", "old", named("c", next));
    assertThat(states()).containsExactly(EntryState.COMPLETE, EntryState.OPEN);
  }

  private void interrupt(String... files) throws IOException {
    job.setUp();
    job.task(0, 0, files);
    job.breakOffBefore(1);
  }

  private static String named(String file, SimulatedJob job) throws IOException {
    return file + "-" + job.uuid();
  }

  /** Of the entries at the destination, the latest first. */
  private List<EntryState> states() throws IOException {
    LogTail tail = next.output().log().tailDownTo(1);
    return tail.numbers().stream().sorted(Comparator.reverseOrder()).map(tail::state).toList();
  }
}
