package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.process.Await;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs on clusters that have nothing but S3 to keep records on. */
class RecordsOnS3Test extends SimulatedJobs {
  @BeforeEach
  void keepRecordsOnS3() {
    job.withRecordsOn("s3a");
  }

  @Test
  void withRecordsOnS3RequestsAreTwoPerTaskAndTenPerJobAndThreeMoreWhereNoFileMayBeThere()
      throws IOException {
    // The first job of a day checks what the store can do.
    new SimulatedJob(store, directory, 99).withRecordsOn("s3a").setUp();
    store.resetCounts();
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    MagicCommitter master = job.committer();
    master.setupJob(job.context());
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c", "d");
    master.commitJob(job.context());
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c", "d");
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.CREATE_UPLOAD, 4L,
                RequestType.UPLOAD_PART, 4L,
                RequestType.COMPLETE_UPLOAD, 4L,
                // Two manifests.
                RequestType.GET, 2L,
                // The job's note, the check whether conditions hold, two manifests, the entry, the
                // marker of its end, _SUCCESS.
                RequestType.PUT, 7L,
                // The log and the manifests; and, as no file may be there, the destination and the
                // log at the beginning, and the destination before the decision.
                RequestType.LIST, 5L,
                // Before the decision and at the end.
                RequestType.LIST_UPLOADS, 2L,
                // The manifests.
                RequestType.BULK_DELETE, 1L));
    String id = job.uuid();
    assertThat(store.keys())
        .filteredOn(key -> key.startsWith("records/") && key.contains(id))
        .containsExactly(
            "records/zerorename-" + System.getProperty("user.name") + "/jobs/" + id + "/job.json");
    assertThat(store.keys())
        .filteredOn(key -> key.startsWith("_zerorename/out-"))
        .extracting(key -> key.substring(key.indexOf('/', "_zerorename/".length()) + 1))
        .extracting(name -> name.replaceAll("[.][0-9a-f]{32}[.]", ".etag."))
        .containsExactly("log/_999999999998", "log/_999999999998.ended.complete.add.etag.." + id);
  }

  /** Its end has deleted its records, so that no task can be late: the plan is not read. */
  @Test
  void aCommitThatIsRepeatedAfterItsEndReadsNoPlan() throws IOException {
    job.setUp();
    job.task(0, 0, "a");
    job.commit();
    List<String> keys = store.keys();
    job.restarted().setUp();
    store.resetCounts();
    job.commit();
    assertThat(store.keys()).isEqualTo(keys);
    assertThat(store.requests())
        .as("the log twice and its records, the entry, its marker, the job's note")
        .isEqualTo(Map.of(RequestType.LIST, 3L, RequestType.GET, 3L));
  }

  /** Its manifest is there, and the job has chosen its files, while its session is still open. */
  @Test
  void anAbortAfterTheDecisionSparesWhatAnAttemptHereHasPublishedWithoutAnAnswer()
      throws Exception {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).upload("a");
    Await.until(
        "its part is sent", () -> store.requests().getOrDefault(RequestType.UPLOAD_PART, 0L) == 1);
    store.faults().failAnyFrom(1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(task::commit).isInstanceOf(StoreException.class);
    store.faults().clear();
    job.breakOffBefore(1);
    assertThat(store.pendingKeys()).hasSize(1);

    job.abort();

    assertThat(job.files()).hasSize(2).anyMatch(name -> name.startsWith("a-"));
    // Nor does the engine's abort of the attempt, which comes later.
    task.abort();
    assertThat(job.files()).hasSize(2);
  }

  @Test
  void aJobWhoseNoteWasWrittenWithoutAnAnswerIsNotTakenForOneThatGoesOn() throws IOException {
    store.plant("out/of-another-job", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    store.faults().fail(RequestType.PUT, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(job::setUp).isInstanceOf(PathExistsException.class);
  }

  @Test
  void aMasterLooksAtTheDestinationWhereItsPredecessorWasKilledBeforeItHad() throws IOException {
    store.plant("out/of-another-job", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    store.faults().fail(RequestType.LIST, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::setUp).hasMessageContaining("ACCESS_DENIED");
    assertThatThrownBy(job.restarted()::setUp).isInstanceOf(PathExistsException.class);
  }

  @Test
  void withRecordsOnS3ATaskThatMayBeOfAnotherIdThanItsJobIsRefused() throws IOException {
    job.setUp();
    job.conf().unset(MRJobConfig.MAPREDUCE_JOB_DIR);

    assertThatThrownBy(() -> job.start(0, 0))
        .hasMessageContaining("cannot be distinguished from other runs")
        .hasMessageContaining("Job.getConfiguration()");

    job.with("job.committer.uuid", "3f0d").start(0, 0);
  }
}
