package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a commit ends when the store or the cluster file system fails. */
class CommitFailureTest {
  private static final String T = "warehouse/t/";

  @TempDir java.nio.file.Path workDir;

  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");
  private InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private TestJob job;
  private BeforeRequest.Step beforeLogIsWritten = () -> {};

  @BeforeEach
  void newJob() throws IOException {
    ObjectStore watched =
        BeforeRequest.of(logs, "putObjectIfAbsent", () -> beforeLogIsWritten.run());
    job = TestJob.withLogIn(watched, store, workDir, "job-1");
  }

  @Test
  void vanishedManifestsAreNotAnEmptyResult() throws IOException {
    store.plant(T + "old", "old".getBytes(UTF_8));
    job.losingTask("a", "0");
    assertThatThrownBy(() -> job.overwrite(TestJob.TABLE))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("no manifest of any")
        .hasMessageContaining("/writers");
    assertThat(job.abort()).hasValue(1);
    assertThat(store.keys()).containsExactly(T + "old");
  }

  @Test
  void interruptAfterTheDecisionStopsNothing() throws IOException {
    store.plant(T + "old", "old".getBytes(UTF_8));
    Thread caller = Thread.currentThread();
    TestJob cancelled =
        TestJob.withLogIn(logs, path -> interruptingAtComplete(caller), workDir, "job-cancelled");
    cancelled.task("a", "0", "1", "2");
    CommitReport report = cancelled.overwrite(TestJob.TABLE);
    assertThat(Thread.interrupted()).as("told to the caller").isTrue();
    assertThat(report.made().files()).isEqualTo(3);
    assertThat(store.keys())
        .containsExactly(cancelled.key("0"), cancelled.key("1"), cancelled.key("2"));
  }

  private ObjectStore interruptingAtComplete(Thread caller) {
    return BeforeRequest.of(store, "completeUpload", caller::interrupt);
  }

  @Test
  void anotherObjectOfTheSameNameAndLengthIsNoProof() throws IOException {
    job.task("a", "day=1/0");
    PendingUpload upload = job.chosen().get(0).uploads().get(0);
    store.plant(upload.key(), "DAY=1/0".getBytes(UTF_8));
    assertThatThrownBy(() -> job.commit(Overwrite.none(), () -> lose(upload)))
        .isInstanceOfSatisfying(
            CommitDamagedException.class,
            damaged ->
                assertThat(damaged.commit.result().lost()).containsExactly(upload.destination()));
    assertThat(store.content(upload.key())).asString(UTF_8).isEqualTo("DAY=1/0");
  }

  private void lose(PendingUpload upload) {
    store.loseUpload(upload.key(), upload.uploadId());
  }

  @Test
  void aVanishedUploadIsToldAndNothingIsDeleted() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1");
    PendingUpload upload = job.chosen().get(0).uploads().get(1);
    assertThatThrownBy(() -> job.commit(Overwrite.directoriesOfFiles(), () -> lose(upload)))
        .isInstanceOfSatisfying(
            CommitDamagedException.class,
            damaged ->
                assertThat(damaged.commit.result().lost()).containsExactly(upload.destination()))
        .hasMessageContaining(
            "INSERT into db.t is committed and damaged: 1 of its 2 files are lost")
        .hasMessageContaining(upload.key())
        .hasMessageContaining("this attempt deleted no old file")
        .hasMessageContaining("zerorename recover " + TestJob.TABLE + " --give-up");
    assertThat(store.keys()).containsExactlyInAnyOrder(T + "day=1/old", job.key("day=1/0"));
  }

  @Test
  void anInsertThatLostAFileKeepsWhatItWantedToReplace() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    ObjectSummary old = store.listObjects(T + "day=1/").next();
    Overwrite objects =
        Overwrite.objects(
            List.of(
                new OldObject(
                    new Path(TestJob.TABLE, "/"), old.key(), old.etag(), old.lastModified())));
    job.task("a", "day=1/0", "day=1/1");
    PendingUpload upload = job.chosen().get(0).uploads().get(1);
    assertThatThrownBy(() -> job.commit(objects, () -> lose(upload)))
        .isInstanceOf(CommitDamagedException.class);
    assertThat(store.keys()).containsExactlyInAnyOrder(T + "day=1/old", job.key("day=1/0"));
  }

  /** The log is in the bucket, and the manifests are only read. */
  @Test
  void aJobCommitsThoughTheClusterFileSystemTakesNoWritesAnyMore() throws IOException {
    AtomicBoolean readOnly = new AtomicBoolean();
    Calls calls = Calls.refusing(call -> readOnly.get() && call.changes() && !call.store());
    SimulatedCluster cluster = new SimulatedCluster("read-only", Variant.aws());
    SimulatedJob written = new SimulatedJob(cluster, cluster.new View(calls), JobKind.SMALL, "job");
    written.prepare();
    readOnly.set(true);

    written.commit(false);

    assertThat(cluster.isCommitted("job")).isTrue();
    assertThat(cluster.table()).isEqualTo(written.made());
  }

  @Test
  void oldFilesSurviveAFailureWhileCompleting() throws IOException {
    store.plant(T + "day=1/old", "old".getBytes(UTF_8));
    job.task("a", "day=1/0", "day=1/1", "day=1/2");
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::overwrite).isInstanceOf(CommitStateUnknownException.class);
    assertThat(store.keys()).containsExactlyInAnyOrder(T + "day=1/old", job.key("day=1/0"));
    assertThat(store.requests()).doesNotContainKey(RequestType.BULK_DELETE);
  }

  @Test
  void aCommittedJobCannotBeAborted() throws IOException {
    job.task("a", "day=1/0", "day=1/1");
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::insert).isInstanceOf(CommitStateUnknownException.class);
    store.resetCounts();
    assertThat(job.abort()).isEmpty();
    assertThat(store.requests()).isEmpty();
    assertThat(store.pendingKeys()).containsExactly(job.key("day=1/1"));
  }

  @Test
  void anAbortedJobCannotBeCommitted() throws IOException {
    job.task("a", "day=1/0");
    job.abort();
    assertThatThrownBy(job::insert)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("the job was aborted");
    assertThat(store.keys()).isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aDeleteThatFailsSaysThatOldFilesAreStillThere() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0");
    store.faults().fail(RequestType.BULK_DELETE, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(job::overwrite)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("old files may be visible beside them")
        .hasMessageContaining("zerorename recover " + TestJob.TABLE);
    assertThat(store.keys()).containsExactlyInAnyOrder(T + "day=1/old", job.key("day=1/0"));
  }

  @Test
  void aDecisionOfUnknownFateIsReportedAsUnknownAndNothingIsTouched() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0");
    logs.faults().failFrom(RequestType.PUT, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    logs.faults().failFrom(RequestType.GET, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(job::overwrite)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("it is unknown whether it is committed, or what is left to do: ")
        .hasMessageContaining("planned fault AMBIGUOUS")
        .hasMessageContaining(job.log().location());
    assertThat(store.keys()).containsExactly(T + "day=1/old");
    logs.faults().clear();
    job.overwrite();
    assertThat(store.keys()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void ifSomebodyElseDecidesFirstNoDocumentOfItsOwnPlanIsLeft() throws IOException {
    int old = plantOldFilesOfTwoDocuments();
    job.task("a", "0");
    List<String> written = new ArrayList<>();
    beforeLogIsWritten =
        () -> {
          if (documentsOfPlans().size() == 2) {
            written.addAll(documentsOfPlans());
            beforeLogIsWritten = () -> {};
            job.abort();
          }
        };
    assertThatThrownBy(() -> job.overwrite(TestJob.TABLE))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("the job was aborted");
    assertThat(written).as("documents of its plan").hasSize(2);
    assertThat(documentsOfPlans()).isEmpty();
    assertThat(store.keys()).filteredOn(key -> key.startsWith(T)).hasSize(old);
  }

  /** Returns how many. */
  private int plantOldFilesOfTwoDocuments() {
    int old = PlanWriter.ENTRIES_PER_CHUNK + 1_001;
    for (int i = 0; i < old; i++) {
      store.plant(T + "old-" + i, new byte[1]);
    }
    return old;
  }

  private List<String> documentsOfPlans() {
    return logs.keys().stream().filter(key -> key.contains("/parts/")).toList();
  }
}
