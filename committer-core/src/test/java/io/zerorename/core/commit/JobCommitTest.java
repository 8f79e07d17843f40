package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;

/** What a commit makes visible and what it replaces, and how it ends when something fails. */
class JobCommitTest {
  private static final String T = "warehouse/t/";

  @TempDir java.nio.file.Path workDir;

  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");
  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private TestJob job;

  @BeforeEach
  void newJob() throws IOException {
    job = job("job-1");
  }

  private TestJob job(String id) throws IOException {
    return TestJob.withLogIn(logs, store, workDir, id);
  }

  @Test
  void exactlyTheFilesOfTheChosenAttemptsBecomeVisible() throws IOException {
    job.task("task_0_attempt_1", "day=1/0_1").losingTask("task_0_attempt_0", "day=1/0_0");
    job.task("task_1_attempt_0", "day=2/1_0");
    CommitReport report = job.insert();
    assertThat(store.keys()).containsExactly(job.key("day=1/0_1"), job.key("day=2/1_0"));
    assertThat(store.content(job.key("day=1/0_1"))).asString(UTF_8).isEqualTo("day=1/0_1");
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(report.made().files()).isEqualTo(2);
    assertThat(report.made().bytes()).isEqualTo(18);
    assertThat(report.aborted()).isEqualTo(1);
    assertThat(report.made().replaced()).isZero();
    assertThat(report.stages().keySet()).containsExactly(CommitStage.values());
  }

  @Test
  void anObjectOfTheSameKeyAsANewFileIsReplacedByItAndNotDeleted() throws IOException {
    job.task("a", "day=1/0");
    store.plant(job.key("day=1/0"), "old".getBytes(UTF_8));
    CommitReport report = job.overwrite();
    assertThat(store.content(job.key("day=1/0"))).asString(UTF_8).isEqualTo("day=1/0");
    assertThat(report.made().replaced()).isZero();
  }

  @Test
  void twoUploadsToOneKeyFailBeforeTheDecision() throws IOException {
    job.task("attempt_0", "day=1/0").task("attempt_1", "day=1/0");
    assertThatThrownBy(job::insert)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("attempt_1")
        .hasMessageContaining(job.path("day=1/0").toString());
    assertThat(store.keys()).isEmpty();
    assertThat(job.isDecided()).isFalse();
    assertThat(job.log().tail().open()).isEmpty();
  }

  @Test
  void aDestinationOutsideTheRootsFailsBeforeTheDecision() throws IOException {
    for (String elsewhere : List.of("../other/0", "../t2/0", "../../top")) {
      TestJob outside = job("job-" + elsewhere.hashCode()).task("a", elsewhere);
      assertThatThrownBy(outside::insert)
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("not below");
    }
    assertThatThrownBy(() -> job.overwrite(TestJob.TABLE.getParent()))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("not below");
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void aManifestOfAnotherJobFailsBeforeTheDecision() throws IOException {
    TestJob other = job("job-2").task("a", "day=1/0");
    assertThatThrownBy(() -> job.commit(Overwrite.none(), Manifests.of(other.chosen())))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("job-2")
        .hasMessageContaining("Nothing of it is visible");
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void aFileThatIsNoManifestFailsTheCommit() throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration(false));
    Path tree = new Path(new Path(workDir.toUri()), "-ext-10000");
    local.create(new Path(tree, "000000_0")).close();
    assertThatThrownBy(
            () -> job.commit(Overwrite.none(), ManifestSource.filesBelow(local, List.of(tree))))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("000000_0");
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
        TestJob.withLogIn(
            logs,
            path -> BeforeRequest.of(store, "completeUpload", caller::interrupt),
            workDir,
            "job-cancelled");
    cancelled.task("a", "0", "1", "2");
    CommitReport report = cancelled.overwrite(TestJob.TABLE);
    assertThat(Thread.interrupted()).as("told to the caller").isTrue();
    assertThat(report.made().files()).isEqualTo(3);
    assertThat(store.keys())
        .containsExactly(cancelled.key("0"), cancelled.key("1"), cancelled.key("2"));
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

  /** Completes no upload before the caller has been told what is visible without it. */
  @Test
  void aLongCommitTellsItsCallerHowFarItIs() throws IOException {
    BlockingQueue<String> messages = new ArrayBlockingQueue<>(1_000);
    List<String> told = new CopyOnWriteArrayList<>();
    ObjectStore slow =
        BeforeRequest.of(
            store,
            "completeUpload",
            () -> {
              // What was told before the last completion was counted is old.
              messages.clear();
              messages.poll(2, TimeUnit.MINUTES);
              told.add(messages.poll(2, TimeUnit.MINUTES));
            });
    Thread caller = Thread.currentThread();
    CommitProgress progress =
        new CommitProgress(
            Duration.ofMillis(2),
            message -> {
              assertThat(Thread.currentThread()).isSameAs(caller);
              messages.add(message);
            });
    job.task("a", "0", "1", "2");

    new JobCommit(
            path -> slow,
            job.directory(),
            job.log(),
            job.settings(),
            progress,
            job.insertBy(CommitRequest.Committer.SOLE, () -> {}))
        .run();

    assertThat(told)
        .containsExactly(
            "0 of 3 files are visible", "1 of 3 files are visible", "2 of 3 files are visible");
  }

  @Test
  void figuresTimesAndRatesAreInOneLine() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=2/0").losingTask("b", "day=1/1");
    store.resetCounts();
    assertThat(job.overwrite().line("INSERT INTO default.t", store.requests()))
        .matches(
            "committed INSERT INTO default\\.t: 2 files, 14 bytes, 1 old files replaced, 1 uploads"
                + " aborted, [0-9]+ S3 requests \\(.*complete upload 2.*\\), [0-9.]+ s \\(read log"
                + " [0-9.]+, load manifests [0-9.]+, plan [0-9.]+, write plan [0-9.]+, decide"
                + " [0-9.]+, complete [0-9.]+, replace [0-9.]+, publish [0-9.]+, clean up"
                + " [0-9.]+\\), [0-9.]+ files/s, [0-9.]+ MB/s, job job-1, entry 1");
  }

  @ParameterizedTest
  @NullAndEmptySource
  void anOverwriteRefusesAStoreThatListsNoEtags(String etag) throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    ObjectStore without =
        new ForwardingStore(store) {
          @Override
          public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
            return RemoteIterators.mappingRemoteIterator(
                super.listObjects(prefix),
                it -> new ObjectSummary(it.key(), it.size(), etag, it.lastModified()));
          }
        };
    TestJob refused =
        TestJob.withLogIn(logs, path -> without, workDir, "refused").task("a", "day=1/0");

    assertThatThrownBy(refused::overwrite)
        .hasStackTraceContaining("ZR-1133: The store lists s3a://bucket/" + T + "day=1/old");

    assertThat(refused.isDecided()).isFalse();
    assertThat(store.keys()).containsExactly(T + "day=1/old");
  }

  /** In JMX, where other tests in this process leave theirs as well. */
  @Test
  void everyOutcomeHasItsCounter() throws Exception {
    CommitterMetrics.add(Metric.COMMITS, 0);
    Map<String, Long> before = metrics();
    job.task("a", "day=1/0", "day=2/0").losingTask("b", "day=1/1").insert();
    TestJob failing = job("failing").task("a", "0");
    assertThatThrownBy(
            () ->
                failing.commit(
                    Overwrite.none(),
                    (workers, action) -> {
                      throw new IOException("a manifest is lost");
                    }))
        .isInstanceOf(CommitFailedException.class);
    failing.abort();
    TestJob stuck = job("stuck").task("a", "0");
    store.faults().failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.REJECTED);
    assertThatThrownBy(stuck::insert).isInstanceOf(CommitStateUnknownException.class);
    CommitterMetrics.addFallback("UNION");

    Map<String, Long> since = new HashMap<>(metrics());
    since.replaceAll((name, value) -> value - before.getOrDefault(name, 0L));
    assertThat(since)
        .containsAllEntriesOf(
            Map.of(
                "Commits", 1L,
                "FilesCommitted", 2L,
                "BytesCommitted", 14L,
                "UploadsAborted", 2L,
                "CommitsFailed", 1L,
                "JobsAborted", 1L,
                "CommitsUnknown", 1L,
                "Fallbacks", 1L,
                "FallbacksUnion", 1L));
  }

  private static Map<String, Long> metrics() throws JMException {
    MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName(CommitterMetrics.NAME);
    String[] attributes =
        Stream.of(jmx.getMBeanInfo(name).getAttributes())
            .map(MBeanAttributeInfo::getName)
            .toArray(String[]::new);
    return jmx.getAttributes(name, attributes).asList().stream()
        .collect(Collectors.toMap(Attribute::getName, it -> (Long) it.getValue()));
  }
}
