package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PutDeadlines;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commits of small files that are broken off, resumed, damaged, given up or superseded. */
class SmallFilesTest extends TimedCommits {
  private TestJob next() throws IOException {
    return job("overwriting").task("a", "day=1/9");
  }

  private CommitReport overwrite() throws IOException {
    return overwrite(next());
  }

  private List<String> bytes() {
    return store.keys().stream().filter(key -> key.endsWith(".bytes")).toList();
  }

  @Test
  void theyAreVisibleAfterTheDecisionOnlyAndAtOneRequestEach() throws IOException {
    job.smallTask("a", "day=1/0", "day=2/0").insert();
    store.resetCounts();
    TestJob second = job("job-2").smallTask("a", "day=1/0", "day=2/0", "day=3/0");
    CommitReport report = second.insert();
    assertThat(report.files()).isEqualTo(3);
    assertThat(report.bytes()).isEqualTo(21);
    assertThat(report.directories()).isEqualTo(3);
    assertThat(store.content(second.key("day=2/0"))).isEqualTo("day=2/0".getBytes(UTF_8));
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.LIST, 1L,
                // Their bytes, the entry, three files, the marker.
                RequestType.PUT, 6L,
                RequestType.BULK_DELETE, 1L));
    assertThat(recovery().open()).isEmpty();
    assertThat(bytes()).isEmpty();
  }

  @Test
  @Timeout(300)
  void theStoreIsAskedAboutDeadlinesWhileOtherManifestsAreRead() throws IOException {
    CyclicBarrier together = new CyclicBarrier(2);
    AtomicBoolean asked = new AtomicBoolean();
    ObjectStore meeting =
        BeforeRequest.of(
            store,
            "putObjectIfAbsent",
            () -> {
              if (asked.compareAndSet(false, true)) {
                together.await();
              }
            });
    TestJob second =
        new TestJob(
                path -> meeting, FileSystem.getLocal(new Configuration(false)), workDir, "job-2")
            .withThreads(2)
            .smallTask("a", "1")
            .smallTask("b", "2");
    second.commit(
        Overwrite.none(),
        (workers, action) ->
            workers.forEach(
                second.chosen(),
                manifest -> {
                  if (manifest.taskAttemptId().equals("b")) {
                    try {
                      together.await();
                    } catch (InterruptedException | BrokenBarrierException e) {
                      throw new IOException(e);
                    }
                  }
                  action.on(manifest);
                }));
    assertThat(data()).containsExactly(second.key("1"), second.key("2"));
  }

  @Test
  void whereTheStoreKeepsNoDeadlinesSmallFilesAreUploaded() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withExpiredRequestsAccepted());
    TestJob uploading = job("job-2").smallTask("a", "0", "1").smallTask("b", "2");
    uploading.insert();
    assertThat(data()).hasSize(3);
    assertThat(store.requests()).containsEntry(RequestType.COMPLETE_UPLOAD, 3L);
    assertThat(bytes()).isEmpty();
  }

  @Test
  void lostManifestsOfSmallFilesAreNoEmptyResult() throws IOException {
    store.plant(T + "old", new byte[1]);
    job.small("a", "0");
    assertThatThrownBy(() -> job.overwrite(TestJob.TABLE))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("there is no manifest of any");
    assertThat(data()).containsExactly(T + "old");
  }

  @Test
  void whoResumesHasAWindowOfItsOwnAndAnOverwriteWaitsForBoth() throws IOException {
    job.smallTask("a", "0", "1");
    LogEntry gone = job.decideAndDie(Overwrite.none(), DEAD);
    Instant deadline = gone.leaseEnd().orElseThrow();
    // Half done: the answer to this request was lost, and a copy of it is still under way.
    lateCopy(small(job, 0), deadline);

    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).hasSize(2);
    assertThat(job.log().read(2).orElseThrow().leaseEnd()).isPresent();
    assertThat(recovery().run(NOW)).as("nothing is left to do").isEmpty();
    assertThat(waited).isZero();

    overwrite();
    assertThat(waited).isGreaterThan(PutDeadlines.WRITE_LEASE).isLessThan(WINDOW.plusMinutes(1));
    assertThatThrownBy(() -> lateCopy(small(job, 0), deadline))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.EXPIRED));
    assertThat(data()).containsExactly(T + "day=1/9.overwriting");
    assertThat(recovery().open()).isEmpty();
  }

  @Test
  void aResumeWithoutDoubtKeepsNobodyWaitingOnceTheWindowOfTheDeadProcessIsOver()
      throws IOException {
    job.smallTask("a", "0", "1");
    LogEntry gone = job.decideAndDie(Overwrite.none(), DEAD);
    lateCopy(small(job, 0), gone.leaseEnd().orElseThrow());
    store.pass(WINDOW);

    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).hasSize(2);
    overwrite();
    assertThat(waited).isZero();
    assertThat(data()).hasSize(1);
  }

  @Test
  void aResumeOfACommitOfWhichAllFilesAreThereAsksForEachAndWritesNone() throws IOException {
    job.smallTask("a", "0", "1");
    job.commitAndDie(Overwrite.none());
    store.pass(Duration.ofSeconds(60));
    store.resetCounts();
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(store.requests())
        .as("its entry and its marker are written, both files are looked at")
        .containsEntry(RequestType.PUT, 2L)
        .containsEntry(RequestType.HEAD, 2L);
    overwrite();
    assertThat(waited)
        .as("until the window of the dead process is over")
        .isBetween(WINDOW.minusSeconds(70), WINDOW.minusSeconds(50));
  }

  @Test
  void whereTheStoreDoesNotSayWhetherAFileIsThereTheNextResumeFindsOut() throws IOException {
    job.smallTask("a", "0", "1");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.faults().fail(RequestType.HEAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(recover()).isInstanceOf(Recovered.Failed.class);
    assertThat(bytes()).hasSize(1);
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).hasSize(2);
    assertThat(bytes()).isEmpty();
  }

  @Test
  void aResumeWhoseRequestsMayBeUnderWayKeepsAnOverwriteWaitingForThem() throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.pass(WINDOW);
    // After the entry.
    store.faults().fail(RequestType.PUT, 2, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(store.keys()).anyMatch(key -> key.contains(".ended.doubtful.resume."));
    overwrite();
    assertThat(waited).isGreaterThan(PutDeadlines.WRITE_LEASE);
    assertThat(data()).hasSize(1);
  }

  @Test
  void anOverwriteOfOtherDirectoriesWaitsForNobody() throws IOException {
    job.smallTask("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    TestJob other = job("job-2").task("a", "day=2/0");
    CommitReport report = commit(other, Overwrite.directoriesOfFiles());
    assertThat(waited).isZero();
    assertThat(report.openEntries()).containsExactly(1L);
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).hasSize(2);
  }

  @Test
  void anOverwriteWaitsForTheWindowOfAProcessThatDied() throws IOException {
    job.smallTask("a", "0");
    LogEntry gone = job.decideAndDie(Overwrite.none(), DEAD);
    overwrite();
    assertThat(waited).isGreaterThan(PutDeadlines.WRITE_LEASE);
    assertThatThrownBy(() -> lateCopy(small(job, 0), gone.leaseEnd().orElseThrow()))
        .isInstanceOf(StoreException.class);
    assertThat(data()).hasSize(1);
    assertThat(recovery().run(NOW)).as("it has superseded the other").isEmpty();
    assertThat(bytes()).as("no process needs them, and the log is cut after days").hasSize(1);
  }

  @Test
  void aCommitWithoutDoubtMakesNobodyWait() throws IOException {
    job.smallTask("a", "0").insert();
    store.resetCounts();
    overwrite();
    assertThat(waited).isZero();
    assertThat(store.requests()).doesNotContainKey(RequestType.GET);
  }

  @Test
  void anAnswerThatWasLostMakesTheNextOverwriteWait() throws IOException {
    job("job-0").smallTask("a", "x").insert();
    job.smallTask("a", "0");
    // After the bytes and the entry.
    store.faults().fail(RequestType.PUT, 3, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    job.insert();
    assertThat(data()).contains(job.key("0"));
    assertThat(store.keys()).anyMatch(key -> key.contains(".ended.doubtful.add."));
    overwrite();
    assertThat(waited).isGreaterThan(PutDeadlines.WRITE_LEASE);
    assertThat(data()).hasSize(1);
  }

  /** Its marker says that none of its requests can take effect any more. */
  @Test
  void aCommitThatLostAFileWaitsForARequestOfWhichTheAnswerWasLost() throws IOException {
    job("job-0").smallTask("a", "x").insert();
    job.task("a", "1").smallTask("b", "0");
    vanishWhenSeen(job, 0);
    // After the bytes and the entry.
    store.faults().fail(RequestType.PUT, 3, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> insert(job)).isInstanceOf(CommitDamagedException.class);
    assertThat(store.keys()).anyMatch(key -> key.contains(".ended.damaged.add."));
    assertThat(waited).isGreaterThan(PutDeadlines.WRITE_LEASE);
  }

  /** The store's client has repeated it, so that the first copy may be under way. */
  @Test
  void aRepeatedRequestMakesTheNextOverwriteWait() throws IOException {
    ObjectStore repeating =
        (ObjectStore)
            Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                  try {
                    Object answer = method.invoke(store, arguments);
                    boolean ofTheFile =
                        method.getName().equals("putObjectIfAbsent") && arguments.length == 4;
                    return ofTheFile ? Boolean.FALSE : answer;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    new TestJob(path -> repeating, FileSystem.getLocal(new Configuration(false)), workDir, "job-2")
        .smallTask("a", "0")
        .insert();
    assertThat(store.keys()).anyMatch(key -> key.contains(".ended.doubtful.add."));
    overwrite();
    assertThat(waited).isGreaterThan(PutDeadlines.WRITE_LEASE);
    assertThat(data()).hasSize(1);
  }

  /** As where its machine sleeps between the look at the clock and the request. */
  @Test
  void aRequestThatComesAfterItsWindowHasNoEffectAndIsSentAgainUnderAResumeOfItsOwn()
      throws IOException {
    AtomicBoolean late = new AtomicBoolean();
    ObjectStore slow =
        BeforeRequest.of(
            store,
            "putObjectIfAbsent",
            () -> {
              if (job.log().find("job-2", job.log().tail()).isPresent()
                  && late.compareAndSet(false, true)) {
                store.pass(WINDOW);
              }
            });
    new TestJob(path -> slow, FileSystem.getLocal(new Configuration(false)), workDir, "job-2")
        .smallTask("a", "0")
        .insert();
    assertThat(late).isTrue();
    assertThat(data()).hasSize(1);
    LogEntry own = job.log().read(2).orElseThrow();
    assertThat(own.kind()).isEqualTo(EntryKind.RESUME);
    assertThat(own.target()).isEqualTo(1);
    assertThat(job.log().tail().isDone(1)).isTrue();
    overwrite();
    assertThat(waited).as("the first window is over, and the second has ended").isZero();
    assertThat(data()).hasSize(1);
  }

  /** Another process has made its files visible meanwhile, and somebody has deleted these. */
  @Test
  void whoGoesOnInANewWindowWritesNothingWhereTheBytesAreGone() throws IOException {
    AtomicBoolean slept = new AtomicBoolean();
    ObjectStore sleeping =
        BeforeRequest.of(
            store,
            "putObjectIfAbsent",
            () -> {
              if (job.log().find("job-2", job.log().tail()).isPresent()
                  && slept.compareAndSet(false, true)) {
                store.deleteObjects(bytes());
                store.pass(WINDOW);
              }
            });
    new TestJob(path -> sleeping, FileSystem.getLocal(new Configuration(false)), workDir, "job-2")
        .smallTask("a", "0")
        .insert();
    assertThat(slept).isTrue();
    assertThat(data()).isEmpty();
  }

  @Test
  void aProcessThatSleptPastItsWindowWritesNothing() throws IOException {
    job.smallTask("a", "0", "1");
    LogEntry own = job.decideAndDie(Overwrite.none(), DEAD);
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    overwrite();
    assertThat(data()).hasSize(1);
    ExecuteEntry sleeper =
        new ExecuteEntry(
            store,
            job.log(),
            job.log().tail(),
            job.settings().sleeping(this::pass),
            new CompletedEtags(0),
            new FingerprintSet());
    try (Workers workers = new Workers(1)) {
      assertThatThrownBy(
              () ->
                  sleeper.run(own, own, job.log().plan(own), () -> true, workers, new StageTimes()))
          .isInstanceOf(LeaseExpiredException.class);
    }
    assertThat(insert(job).decidedBefore()).isTrue();
    assertThat(data()).containsExactly(T + "day=1/9.overwriting");
  }

  @Test
  void aResumeWritesNothingWhereTheBytesAreGone() throws IOException {
    job.smallTask("a", "0");
    job.commitAndDie(Overwrite.none());
    store.deleteObjects(data());
    assertThat(bytes()).isEmpty();
    assertThat(recover())
        .as("all has been in place, and was removed since")
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).isEmpty();
    assertThat(recovery().run(NOW)).isEmpty();
  }

  /** As where their deletion took effect for some readers only, or was undone. */
  @Test
  void aResumeWritesNothingWhereTheTargetHasEndedThoughTheBytesAreThere() throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), DEAD);
    String key = bytes().get(0);
    byte[] content = store.content(key);
    JobEngine slow =
        new Engine() {
          private boolean done;

          @Override
          public boolean mayWrite(Path root) {
            if (!done) {
              done = true;
              completeAndRemove();
              store.plant(key, content);
            }
            return super.mayWrite(root);
          }
        };
    assertThat(recovery(slow).run(NOW)).singleElement().isInstanceOf(Recovered.Completed.class);
    assertThat(data()).isEmpty();
  }

  private void completeAndRemove() {
    try {
      assertThat(recover()).isInstanceOf(Recovered.Completed.class);
      assertThat(data()).hasSize(1);
      store.deleteObjects(data());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void ofDamagedBytesTheFilesAreLostAndTheBytesStay() throws IOException {
    job.smallTask("a", "0").task("b", "1");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.plant(bytes().get(0), "1".getBytes(UTF_8));
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> {
              assertThat(damaged.lost()).containsExactly(job.path("0"));
              assertThat(damaged.ended()).isTrue();
            });
    assertThat(waited)
        .as("its process might have written it")
        .isGreaterThan(PutDeadlines.WRITE_LEASE);
    assertThat(data()).containsExactly(job.key("1"));
    assertThat(bytes()).hasSize(1);
    assertThat(recovery().run(NOW)).isEmpty();
  }

  @Test
  void aFileThatIsThereIsNotLostThoughItsBytesAreDamaged() throws IOException {
    job.smallTask("a", "0");
    LogEntry gone = job.decideAndDie(Overwrite.none(), DEAD);
    lateCopy(small(job, 0), gone.leaseEnd().orElseThrow());
    store.plant(bytes().get(0), "1".getBytes(UTF_8));
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactly(job.key("0"));
  }

  @Test
  void anObjectOfAnotherProgramIsNotTakenForTheFile() throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.plant(job.key("0"), "other".getBytes(UTF_8));
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> assertThat(failed.message()).contains("another job has written"));
    assertThat(store.content(job.key("0"))).isEqualTo("other".getBytes(UTF_8));
  }

  @Test
  void anOverwriteOfDamagedBytesDeletesNothing() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.smallTask("a", "day=1/0");
    job.decideAndDie(Overwrite.directoriesOfFiles(), DEAD);
    store.plant(bytes().get(0), "1".getBytes(UTF_8));
    for (int run = 0; run < 2; run++) {
      assertThat(recover())
          .isInstanceOfSatisfying(
              Recovered.Damaged.class, damaged -> assertThat(damaged.ended()).isFalse());
    }
    assertThat(data()).containsExactly(T + "day=1/old");
    assertThat(recovery().forceClose(NOW))
        .hasExactlyElementsOfTypes(Recovered.Damaged.class, Recovered.ForceClosed.class);
    assertThat(data()).isEmpty();
    assertThat(bytes()).isEmpty();
  }

  @Test
  void aDamagedCommitWritesNoSmallFileAgain() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    job = job("job-2").task("a", "0").smallTask("b", "1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload lost = vanish(job, 0);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
    assertThat(data()).containsExactly(job.key("1"));

    overwrite();
    assertThat(recovery().resumeAll(NOW)).isEmpty();
    assertThat(recovery().forceClose(NOW)).isEmpty();
    assertThat(data()).containsExactly(T + "day=1/9.overwriting");
  }

  @Test
  void aCommitThatWasGivenUpIsNotReportedAsDone() throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), DEAD);
    assertThat(recovery().forceClose(job.id(), NOW))
        .contains(new Recovered.ForceClosed(1, job.id(), List.of(job.path("0"))));
    assertThat(bytes()).isEmpty();
    assertThatThrownBy(() -> insert(job))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("committed without some of its files")
        .hasMessageContaining(job.path("0").toString());
    assertThat(data()).isEmpty();
  }

  @Test
  void ofAnEntryThatIsCutNothingIsWritten() throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), DEAD);
    JobEngine slow =
        new Engine() {
          @Override
          public boolean mayWrite(Path root) {
            cut();
            return super.mayWrite(root);
          }
        };
    assertThat(recovery(slow).run(NOW)).singleElement().isInstanceOf(Recovered.Completed.class);
    assertThat(data()).isEmpty();
  }

  private void cut() {
    try {
      store.deleteObjects(List.of(ObjectKeys.prefixOf(TestJob.LOG) + "log/_999999999998"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aPlanOfMoreBytesThanADocumentHoldsIsSplitAndReadAgain() throws IOException {
    List<InlineFile> files = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      byte[] content = new byte[6 << 20];
      content[0] = (byte) i;
      files.add(
          new InlineFile(
              job.path("day=" + i + "/0"),
              RepeatableBody.of(content),
              job.id(),
              "a",
              "identity-" + i));
    }
    job.commit(Overwrite.none(), Manifests.of(List.of(TaskManifest.of(job.id(), "a", files))));
    for (int i = 0; i < 5; i++) {
      byte[] content = store.content(job.key("day=" + i + "/0"));
      assertThat(content).hasSize(6 << 20);
      assertThat(content[0]).isEqualTo((byte) i);
    }
    assertThat(recovery().open()).isEmpty();
    assertThat(bytes()).isEmpty();
  }

  @Test
  void aDraftThatFailsLeavesNothing() throws IOException {
    List<InlineFile> files = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      files.add(
          new InlineFile(
              job.path(i + "/0"),
              RepeatableBody.of(new byte[8 << 20]),
              job.id(),
              "a",
              "identity-" + i));
    }
    files.add(files.get(0));
    assertThatThrownBy(
            () ->
                job.commit(
                    Overwrite.none(), Manifests.of(List.of(TaskManifest.of(job.id(), "a", files)))))
        .isInstanceOf(CommitFailedException.class);
    assertThat(store.keys()).noneMatch(key -> key.contains("/parts/"));
    assertThat(job.isDecided()).isFalse();
  }
}
