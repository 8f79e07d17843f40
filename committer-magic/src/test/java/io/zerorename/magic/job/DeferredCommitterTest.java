package io.zerorename.magic.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.commit.CommitStateUnknownException;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.magic.CommitterCounter;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs, task attempts and crashes as MapReduce and Tez bring them about. */
class DeferredCommitterTest {
  @TempDir java.nio.file.Path directory;

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private SimulatedJob job;

  @BeforeEach
  void newJob() {
    job = new SimulatedJob(store, directory, 1);
  }

  /** The sessions of attempts whose process was killed, which here is this one. */
  @AfterEach
  void closeSessions() throws IOException {
    FileSystem.closeAll();
  }

  @Test
  void nothingIsVisibleBeforeTheJobsCommitAndEverythingAfter() throws IOException {
    job.setUp();
    job.task(0, 0, "part-m-00000", "side/a");
    job.task(1, 0, "part-m-00001");
    assertThat(job.files()).isEmpty();
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000", "part-m-00001", "side/a");
    assertThat(store.content("out/part-m-00001")).isEqualTo("part-m-00001".getBytes(UTF_8));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void requestsAreThreePerFileNonePerTaskAndThreePerJob() throws IOException {
    job.setUp();
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c", "d");
    job.commit();
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.CREATE_UPLOAD, 4L,
                RequestType.UPLOAD_PART, 4L,
                RequestType.COMPLETE_UPLOAD, 4L,
                RequestType.LIST, 2L,
                RequestType.PUT, 1L));
  }

  @Test
  void withRecordsOnS3RequestsAreTwoPerTaskAndNinePerJob() throws IOException {
    job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records")
        .with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    job.setUp();
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c", "d");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c", "d");
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.CREATE_UPLOAD, 4L,
                RequestType.UPLOAD_PART, 4L,
                RequestType.COMPLETE_UPLOAD, 4L,
                // A decision that is not there yet, two manifests.
                RequestType.GET, 3L,
                // The note, twice because the store might ignore conditions, two manifests, the
                // decision, the end, _SUCCESS.
                RequestType.PUT, 7L,
                // Destination at the beginning and before the decision, manifests.
                RequestType.LIST, 3L,
                RequestType.LIST_UPLOADS, 1L,
                RequestType.BULK_DELETE, 1L));
    String records =
        "records/zerorename-" + System.getProperty("user.name") + "/jobs/" + job.uuid();
    assertThat(store.keys())
        .filteredOn(key -> key.startsWith("records/"))
        .containsExactly(records + "/decision.json", records + "/finished", records + "/job.json");
  }

  @Test
  void withRecordsOnS3TheUploadsOfLosersAndOfKilledWritersAreAborted() throws IOException {
    job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records");
    job.setUp();
    job.task(0, 0, "a");
    job.task(0, 1, "a");
    job.start(1, 0).write("killed");
    job.task(1, 1, "b");
    job.commit();
    assertThat(job.files()).hasSize(3);
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void withRecordsOnS3AnAbortFindsWhatItCan() throws IOException {
    job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records");
    job.setUp();
    job.task(0, 0, "a");
    job.start(1, 0).write("killed");
    job.abort();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(job.files()).isEmpty();
  }

  @Test
  void theTaskThatHasNoFileNeedsNoCommitAndLeavesNothingOpen() throws IOException {
    job.setUp();
    SimulatedJob.Running idle = job.start(0, 0);
    assertThat(idle.needsCommit()).isFalse();
    assertThat(idle.needsCommit()).as("asked again").isFalse();
    SimulatedJob.Running again = job.start(0, 0);
    assertThat(again.write("a").needsCommit()).as("the name is free").isTrue();
    again.abort();
  }

  @Test
  void theJobWithoutFilesLeavesADirectory() throws IOException {
    job.with("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false").setUp();
    job.commit();
    assertThat(store.keys()).containsExactly("out/");
  }

  @Test
  void anAttemptWhoseProcessWasKilledIsAbortedFromAnother() throws IOException {
    job.setUp();
    SimulatedJob.Running killed = job.start(0, 0).write("part-m-00000");
    assertThat(store.pendingKeys()).hasSize(1);
    job.committer().abortTask(killed.context());
    assertThat(store.pendingKeys()).isEmpty();
    job.task(0, 1, "part-m-00000");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000");
  }

  @Test
  void anAttemptThatWasGivenUpCannotCommitAnyMore() throws IOException {
    job.setUp();
    SimulatedJob.Running zombie = job.start(0, 0).write("part-m-00000");
    job.committer().abortTask(zombie.context());
    assertThatThrownBy(zombie::commit)
        .hasMessageContaining("attempt_1700000000000_0001_m_000000_0 cannot commit")
        .hasMessageContaining("it was given up");
    zombie.abort();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void anAttemptThatFailsAfterItsCommitStaysACandidateUntilAnotherCommits() throws IOException {
    job.setUp();
    SimulatedJob.Running first = job.start(0, 0).write("part-m-00000").write("only-in-the-first");
    first.commit();
    first.abort();
    job.committer().abortTask(first.context());
    assertThat(store.pendingKeys()).as("the job's commit may need them").hasSize(2);
    job.task(0, 1, "part-m-00000");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void ofTwoAttemptsThatBothCommitOneIsTaken() throws IOException {
    job.setUp();
    job.task(0, 10, "later");
    job.task(0, 9, "earlier");
    job.task(1, 0, "other");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "later", "other");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void anAbortThatRacesTheJobsCommitTakesNothingFromIt() throws IOException {
    job.setUp();
    SimulatedJob.Running preempted = job.start(0, 0).write("part-m-00000");
    preempted.commit();
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    job.committer().abortTask(preempted.context());
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000");
  }

  @Test
  void theTasksOfAKilledMasterAreRecovered() throws IOException {
    job.setUp();
    job.task(0, 0, "part-m-00000");
    SimulatedJob.Running unfinished = job.start(1, 0).write("part-m-00001");

    job.restarted().setUp();
    job.committer().recoverTask(job.attempt(0, 0));
    job.committer().recoverTask(job.attempt(0, 7));
    assertThatThrownBy(() -> job.committer().recoverTask(unfinished.context()))
        .hasMessageContaining("the task has to run again");
    job.committer().recoverTask(job.attempt(2, 0));
    job.task(1, 1000, "part-m-00001");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000", "part-m-00001");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void tezMayGiveTheNextMastersAttemptTheIdOfAnEarlierOne() throws IOException {
    job.with("job.committer.uuid", "dag_1700000000000_0001_1").setUp();
    job.task(0, 0, "part-m-00000");
    job.start(1, 0).write("part-m-00001");

    job.restarted().setUp();
    job.task(0, 0, "part-m-00000");
    job.task(1, 0, "part-m-00001");
    job.commit();

    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000", "part-m-00001");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void aTaskThatCommitsAfterTheJobIsNotLostWithoutAnError(String records) throws IOException {
    if (records.equals("s3a")) {
      job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records");
    }
    job.setUp();
    SimulatedJob.Running late = job.start(1, 0).write("part-m-00001");
    job.task(0, 0, "part-m-00000");
    job.commit();
    job.commit();
    late.commit();
    assertThatThrownBy(job::commit)
        .hasMessageContaining("lacks the files of task attempt")
        .hasMessageContaining(late.context().getTaskAttemptID().toString());
    assertThat(job.files()).hasSize(2).noneMatch(file -> file.startsWith("part-m-00001"));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void anAttemptThatWasGivenUpIsNotRecovered() throws IOException {
    job.setUp();
    SimulatedJob.Running failed = job.start(0, 0).write("a");
    failed.abort();
    job.restarted().setUp();
    assertThatThrownBy(() -> job.committer().recoverTask(job.attempt(0, 0)))
        .hasMessageContaining("the task has to run again");
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void aCommitThatBreaksOffAnywhereIsFinishedByTheNextMaster(String records) throws IOException {
    int broken = 0;
    for (int n = 1; ; n++) {
      SimulatedJob breaking = readyToCommit(100 + n, records);
      int before = store.faults().struck();
      store.faults().failAnyFrom(n, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
      boolean failed = commitFails(breaking);
      int struck = store.faults().struck() - before;
      store.faults().clear();
      if (struck == 0) {
        break;
      }
      assertThat(failed).as("broken at request %s", n).isTrue();
      assertFinishedByTheNextMaster(breaking, n);
      broken++;
    }
    assertThat(broken)
        .as("the listing, three files and _SUCCESS, and what records on S3 need besides")
        .isEqualTo(records.equals("file") ? 5 : 13);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void aLostAnswerAnywhereChangesNothing(String records) throws IOException {
    for (int n = 1; ; n++) {
      SimulatedJob job = readyToCommit(100 + n, records);
      int before = store.faults().struck();
      store.faults().failAny(n, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
      boolean failed = commitFails(job);
      int struck = store.faults().struck() - before;
      store.faults().clear();
      if (failed) {
        assertFinishedByTheNextMaster(job, n);
      } else {
        assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c");
        assertThat(store.pendingKeys()).isEmpty();
      }
      if (struck == 0) {
        assertThat(n).isGreaterThan(5);
        break;
      }
    }
  }

  private SimulatedJob readyToCommit(int number, String records) throws IOException {
    store.deleteObjects(store.keys());
    SimulatedJob job =
        new SimulatedJob(store, directory, number).with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    if (records.equals("s3a")) {
      job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records");
    }
    job.setUp();
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c");
    return job;
  }

  private static boolean commitFails(SimulatedJob job) {
    try {
      job.commit();
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private void assertFinishedByTheNextMaster(SimulatedJob job, int n) throws IOException {
    job.restarted().setUp();
    job.committer().recoverTask(job.attempt(0, 0));
    job.committer().recoverTask(job.attempt(1, 0));
    job.commit();
    job.commit();
    assertThat(job.files())
        .as("broken at request %s", n)
        .containsExactly("_SUCCESS", "a", "b", "c");
    assertThat(store.pendingKeys()).as("broken at request %s", n).isEmpty();
  }

  @Test
  void anAbortAfterTheDecisionCarriesItOut() throws IOException {
    job.setUp();
    job.task(0, 0, "a", "b");
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    job.abort();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b");
    assertThat(store.pendingKeys()).isEmpty();
  }

  /** As MRAppMaster's shutdown hook does at the end of every job. */
  @Test
  void anAbortAfterTheJobsEndDoesNothing() throws IOException {
    DeferredCommitter committer = job.committer();
    committer.setupJob(job.context());
    job.task(0, 0, "a");
    committer.commitJob(job.context());
    store.resetCounts();
    committer.abortJob(job.context());
    assertThat(store.requests()).isEmpty();
    assertThat(job.files()).containsExactly("_SUCCESS", "a");
  }

  /** As MRAppMaster does where it finds no history of its predecessor, or is not to recover. */
  @Test
  void aMasterThatBeginsAnewAbortsBeforeItSetsUpAndRunsAllTasksAgain() throws IOException {
    job.with(MRJobConfig.APPLICATION_ATTEMPT_ID, "1").setUp();
    job.task(0, 0, "a");
    job.start(1, 0).write("b");

    DeferredCommitter second = job.restarted().committer();
    second.abortJob(job.context());
    second.setupJob(job.context());
    job.task(0, 1000, "a");
    job.task(1, 1000, "b");
    second.commitJob(job.context());
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aMasterThatBeginsAnewAfterTheDecisionEndsTheCommitAndSaysSo() throws IOException {
    job.with(MRJobConfig.APPLICATION_ATTEMPT_ID, "1").setUp();
    job.task(0, 0, "a", "b");
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);

    DeferredCommitter second = job.restarted().committer();
    second.abortJob(job.context());
    assertThatThrownBy(() -> second.setupJob(job.context()))
        .hasMessageContaining("is complete")
        .hasMessageContaining("do not submit the job again");
    second.abortJob(job.context());
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void anAbortedJobLeavesNothingAndItsWritersCannotGoOn() throws IOException {
    job.setUp();
    job.task(0, 0, "a");
    SimulatedJob.Running running = job.start(1, 0).write("b");
    job.abort();
    assertThat(store.pendingKeys()).isEmpty();
    assertThatThrownBy(() -> running.write("c")).hasMessageContaining("has ended already");
    assertThatThrownBy(job::commit)
        .satisfies(
            e ->
                assertThat(e.getMessage())
                    .containsOnlyOnce("was aborted")
                    .containsOnlyOnce("was not committed"));
    assertThatThrownBy(() -> job.restarted().setUp()).hasMessageContaining("been aborted");
    running.abort();
  }

  @Test
  void aJobIdThatWasUsedBeforeIsRefused() throws IOException {
    job.setUp();
    job.commit();
    assertThatThrownBy(job::setUp)
        .hasMessageContaining("a job of the same id has written there before")
        .hasMessageContaining("Submit the job again");
  }

  @Test
  void intoADestinationWithFilesNamesCarryTheJobsId() throws IOException {
    store.plant("out/part-m-00000", "old".getBytes(UTF_8));
    job.setUp();
    job.task(0, 0, "part-m-00000", "x/part.snappy.parquet", "map/data", "map/index", ".hidden");
    job.commit();
    String id = "-" + job.uuid();
    assertThat(job.files())
        .containsExactlyInAnyOrder(
            "_SUCCESS",
            "part-m-00000",
            "part-m-00000" + id,
            "x/part" + id + ".snappy.parquet",
            "map" + id + "/data",
            "map" + id + "/index",
            ".hidden" + id);
    assertThat(store.content("out/part-m-00000")).isEqualTo("old".getBytes(UTF_8));
  }

  @Test
  void aMarkerOfTheDestinationIsNoFile() throws IOException {
    store.plant("out/", new byte[0]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail").setUp();
    job.task(0, 0, "a");
    job.commit();
    assertThat(job.files()).containsExactly("", "_SUCCESS", "a");
  }

  @Test
  void failRefusesADestinationWithFiles() {
    store.plant("out/old", new byte[1]);
    for (String records : List.of(directory.toUri().toString(), "s3a://bucket/records")) {
      job.with(CoreKeys.WORK_DIR.name(), records).with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
      assertThatThrownBy(job::setUp)
          .isInstanceOf(PathExistsException.class)
          .hasMessageContaining("s3a://bucket/out")
          .hasMessageContaining("zerorename.conflict.mode is fail");
    }
  }

  @Test
  void replaceDeletesOldFilesOnceAllNewOnesAreThere() throws IOException {
    store.plant("out/old", new byte[1]);
    store.plant("out/deep/old", new byte[1]);
    store.plant("outside", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "replace").setUp();
    job.task(0, 0, "new");
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    assertThat(job.files()).containsExactly("deep/old", "old");
    job.restarted().setUp().commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "new-" + job.uuid());
    assertThat(store.keys()).contains("outside");
  }

  @Test
  void aFileThatAppearedUnderAPlainNameFailsTheCommitBeforeItsDecision() throws IOException {
    for (String mode : List.of("append", "replace", "fail")) {
      store.deleteObjects(store.keys());
      SimulatedJob late = new SimulatedJob(store, directory, mode.length());
      late.with(MapReduceKeys.CONFLICT_MODE.name(), mode).setUp();
      late.task(0, 0, "a", "b");
      store.plant("out/b", "another job's".getBytes(UTF_8));
      assertThatThrownBy(late::commit)
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("s3a://bucket/out/b exists already");
      late.abort();
      assertThat(late.files()).containsExactly("b");
      assertThat(store.pendingKeys()).isEmpty();
    }
  }

  @Test
  void aPlainNameThatIsTakenWhileACommitIsBrokenOffIsNotReplaced() throws IOException {
    job.setUp();
    job.task(0, 0, "a", "b");
    store.faults().failAnyFrom(2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    store.faults().clear();
    store.plant("out/b", "another job's".getBytes(UTF_8));
    job.restarted().setUp();
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("another job has meanwhile written s3a://bucket/out/b");
    assertThat(store.content("out/b")).isEqualTo("another job's".getBytes(UTF_8));
    store.deleteObjects(List.of("out/b"));
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b");
  }

  /** S3 may join the parts of a file for minutes after whoever asked for it was killed. */
  @Test
  void aFileThatTheStoreStillCompletesForAKilledMasterIsWaitedFor() throws IOException {
    job.setUp();
    job.task(0, 0, "a", "b");
    store.faults().failAnyFrom(2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    store.faults().clear();
    job.restarted().setUp();
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_UPLOAD);
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3a://bucket/out", "s3a://bucket/out/_records", "s3a://bucket"})
  void recordsAmongTheFilesOfAJobAreRefused(String workDir) {
    Path destination =
        workDir.equals("s3a://bucket")
            ? new Path(workDir, "zerorename-" + System.getProperty("user.name") + "/jobs/out")
            : SimulatedJob.DESTINATION;
    job.with(CoreKeys.WORK_DIR.name(), workDir);
    DeferredCommitter committer =
        new DeferredCommitter(destination, ignored -> new OwnedStores(store, () -> {}));
    assertThatThrownBy(() -> committer.setupJob(job.context()))
        .hasMessageContaining("neither may lie in the other")
        .hasMessageContaining("Set zerorename.work.dir");
    assertThatThrownBy(() -> committer.abortJob(job.context()))
        .as("as the engine does next")
        .hasMessageContaining("neither may lie in the other");
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void aRelativeDestinationIsWhereHadoopLooksForIt() throws IOException {
    job.with(FileSystem.FS_DEFAULT_NAME_KEY, "s3a://bucket");
    assertThat(JobOutput.of(new Path("out"), job.context()).destination())
        .isEqualTo(new Path("s3a://bucket/user/" + System.getProperty("user.name") + "/out"));
    assertThat(JobOutput.of(new Path("/out"), job.context()).destination())
        .isEqualTo(SimulatedJob.DESTINATION);
  }

  @Test
  void hiddenFilesDoNotMakeADestinationOneWithFiles() throws IOException {
    store.plant("out/_partition.lst", new byte[1]);
    store.plant("out/.hidden/file", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail").setUp();
    job.task(0, 0, "a");
    job.commit();
    assertThat(job.files()).containsExactly(".hidden/file", "_SUCCESS", "_partition.lst", "a");
  }

  @Test
  void recordsOnAStoreThatIgnoresConditionsAreRefused() {
    InMemoryObjectStore careless =
        new InMemoryObjectStore("bucket", Variant.aws().withConditionsIgnored());
    SimulatedJob there =
        new SimulatedJob(careless, directory, 1)
            .with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records");
    assertThatThrownBy(there::setUp)
        .hasMessageContaining("in spite of If-None-Match")
        .hasMessageContaining("Set zerorename.work.dir to a directory on HDFS");
  }

  @Test
  void withoutTheRightToListUploadsThoseThatAreKnownAreAborted() throws IOException {
    job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records").setUp();
    job.task(0, 0, "a", "b");
    store.faults().failFrom(RequestType.LIST_UPLOADS, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    job.abort();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aCommitterCommitsAndAbortsNoAttemptButTheOneThatItHasSetUp() throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).write("a");
    assertThatThrownBy(() -> task.commitAs(job.attempt(1, 0)))
        .hasMessageContaining("attempt_1700000000000_0001_m_000001_0")
        .hasMessageContaining("has not set it up");
    task.abortAs(job.attempt(1, 0));
    task.commit();
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a");
  }

  @Test
  void userCodeThatClosesAllFileSystemsLosesNoFile() throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).write("a");
    FileSystem.closeAll();
    assertThatThrownBy(() -> task.write("b")).hasMessageContaining("there is no open session");
    assertThat(task.needsCommit()).isTrue();
    task.commit();
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a");
  }

  @Test
  void countersTellWhatATaskHandedOver() throws IOException {
    job.setUp();
    job.task(0, 0, "a", "bc");
    job.task(1, 0, "def");
    assertThat(job.counter(CommitterCounter.FILES)).isEqualTo(3);
    assertThat(job.counter(CommitterCounter.BYTES)).isEqualTo(6);
    assertThat(job.counter(CommitterCounter.REQUESTS)).isEqualTo(6);
    assertThat(new Counters().findCounter(CommitterCounter.FILES).getDisplayName())
        .isEqualTo("Files handed to the job commit");
  }

  @Test
  void anEngineWithoutCountersCommitsToo() throws IOException {
    job.setUp();

    job.start(
            new TaskAttemptContextImpl(
                new JobConf(job.conf()),
                TaskAttemptID.downgrade(job.attempt(0, 0).getTaskAttemptID())))
        .write("part-r-00000")
        .commit();
    job.commit();

    assertThat(job.files()).contains("part-r-00000");
  }

  @Test
  void successNamesTheFilesUpToALimitAndReportsAreCollected() throws IOException {
    job.with(MapReduceKeys.SUCCESS_FILE_LIMIT.name(), "2")
        .with(MapReduceKeys.REPORT_DIR.name(), directory.resolve("reports").toUri().toString());
    job.setUp();
    job.task(0, 0, "c", "a", "b");
    job.commit();
    JsonNode success = new ObjectMapper().readTree(store.content("out/_SUCCESS"));
    assertThat(success.path("filenames").toString()).isEqualTo("[\"/out/a\",\"/out/b\"]");
    assertThat(success.path("metrics").path("files").asInt()).isEqualTo(3);
    assertThat(success.path("metrics").path("job_commit_requests_complete_upload").asInt())
        .isEqualTo(3);
    assertThat(success.path("success").asBoolean()).isTrue();
    assertThat(Files.readAllBytes(directory.resolve("reports/" + job.uuid() + ".json")))
        .isNotEmpty();
  }

  @Test
  void aReportThatCannotBeWrittenFailsNothing() throws IOException {
    job.with(MapReduceKeys.REPORT_DIR.name(), "reports:daily").setUp();
    job.task(0, 0, "a");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a");
  }

  @Test
  void aFailedCommitIsReportedToo() throws IOException {
    job.with(MapReduceKeys.REPORT_DIR.name(), directory.resolve("reports").toUri().toString());
    job.setUp();
    job.task(0, 0, "a");
    store.plant("out/a", new byte[1]);
    assertThatThrownBy(job::commit).isInstanceOf(CommitFailedException.class);
    JsonNode report =
        new ObjectMapper()
            .readTree(Files.readAllBytes(directory.resolve("reports/" + job.uuid() + ".json")));
    assertThat(report.path("success").asBoolean()).isFalse();
    assertThat(report.path("state").asText()).isEqualTo("failed");
    assertThat(report.path("diagnostics").path("exception").asText()).contains("exists already");
  }

  @Test
  void badSettingsAndPlacesAreOneClearErrorEach() throws IOException {
    assertThatThrownBy(() -> with(MapReduceKeys.CONFLICT_MODE.name(), "overwrite").setUp())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("zerorename.conflict.mode")
        .hasMessageContaining("append, fail, replace");
    for (Map.Entry<String, String> bad :
        Map.of(
                MapReduceKeys.SUCCESS_FILE_LIMIT.name(), "many",
                CoreKeys.COMMIT_THREADS.name(), "0",
                CoreKeys.UPLOAD_PART_SIZE.name(), "1K")
            .entrySet()) {
      assertThatThrownBy(() -> with(bad.getKey(), bad.getValue()).setUp())
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining(bad.getKey() + " is \"" + bad.getValue());
    }
    DeferredCommitter atRoot = new DeferredCommitter(new Path("s3a://bucket/"));
    assertThatThrownBy(() -> atRoot.setupJob(job.context()))
        .hasMessageContaining("s3a://bucket/: it is the root of a bucket");
    java.nio.file.Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> with(CoreKeys.WORK_DIR.name(), file.toUri().toString()).setUp())
        .hasMessageContaining("Cannot make the directory")
        .hasMessageContaining("zerorename.work.dir");
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void aTaskWhoseJobWasNotSetUpThereSaysSo() {
    assertThatThrownBy(() -> job.start(0, 0))
        .hasMessageContaining("There is no record")
        .hasMessageContaining("setupJob was never called")
        .hasMessageContaining("zerorename.work.dir");
    assertThatThrownBy(() -> job.committer().commitTask(job.attempt(0, 0)))
        .hasMessageContaining("has not set it up");
    assertThatThrownBy(() -> job.commit()).hasMessageContaining("There is no record");
  }

  @Test
  void withRecordsOnS3ATaskThatMayBeOfAnotherIdThanItsJobIsRefused() throws IOException {
    job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records").setUp();
    job.conf().unset(MRJobConfig.MAPREDUCE_JOB_DIR);

    assertThatThrownBy(() -> job.start(0, 0))
        .hasMessageContaining("cannot be told from other runs")
        .hasMessageContaining("Job.getConfiguration()");

    job.with("job.committer.uuid", "3f0d").start(0, 0);
  }

  @Test
  void damagedOrForeignManifestsFailTheCommitBeforeItsDecision() throws IOException {
    int number = 200;
    for (Damage damage :
        List.<Damage>of(
            text -> text.substring(0, text.length() / 2),
            text -> text.replace("\"version\":1", "\"version\":2"),
            text -> text.replace("s3a://bucket/out/a", "s3a://bucket/elsewhere/a"),
            text -> text.replace("s3a://bucket/out/a", "s3a://bucket/out/../elsewhere/a"))) {
      SimulatedJob damaged = new SimulatedJob(store, directory, number++);
      damaged.setUp();
      damaged.task(0, 0, "a");
      java.nio.file.Path manifest;
      try (Stream<java.nio.file.Path> files =
          Files.list(java.nio.file.Path.of(damaged.records().path().toUri()).resolve("attempts"))) {
        manifest =
            files.filter(file -> file.toString().endsWith("_0.json")).findFirst().orElseThrow();
      }
      Files.deleteIfExists(manifest.resolveSibling("." + manifest.getFileName() + ".crc"));
      Files.writeString(manifest, damage.to(Files.readString(manifest)));
      assertThatThrownBy(damaged::commit).isInstanceOf(CommitFailedException.class);
      damaged.abort();
      assertThat(damaged.files()).isEmpty();
      assertThat(store.pendingKeys()).isEmpty();
    }
  }

  @FunctionalInterface
  private interface Damage {
    String to(String text);
  }

  private SimulatedJob with(String key, String value) {
    return new SimulatedJob(store, directory, 1).with(key, value);
  }
}
