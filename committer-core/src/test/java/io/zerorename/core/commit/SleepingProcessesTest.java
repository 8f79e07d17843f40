package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.Decisions;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.Requests;
import io.zerorename.testing.RetriedStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a process knows may be untrue when it wakes: others have gone on between two requests. */
class SleepingProcessesTest extends TimedCommits {
  /** By the clock when it wakes the job is too old to be decided; it has been, meanwhile. */
  @Test
  void anAborterThatSleepsBehindItsListingAbortsNoDecidedJob() throws IOException {
    job.task("a", "day=1/0");
    Instant begun = store.now();
    store.pass(Duration.ofDays(5).plusHours(23));
    LogTail ofCommit = job.log().tail();
    store.pass(Duration.ofHours(12));
    ObjectStore sleeping =
        BeforeRequest.nth(
            store,
            "now",
            // Two are of the listing.
            3,
            () -> {
              job.decideAndDie(Overwrite.none(), ofCommit);
              store.pass(Duration.ofHours(14));
            });
    TestJob aborter = job.through(path -> sleeping);
    new JobAbort(
            path -> sleeping,
            aborter.directory(),
            aborter.log(),
            job.settings(),
            Optional.of(begun))
        .run();
    if (!job.isCommitted()) {
      return;
    }
    recovery().run(NOW);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  /** A later job with the same name, which an overwrite between has made free, is decided. */
  @Test
  void aSweepThatSleepsTakesNoFileOfALaterJob() throws IOException {
    PendingUpload first = plainFile(job);
    job.directory().noteWriter("killed-twin");
    TestJob later = job("job-2");
    PendingUpload file = plainFile(later);
    AtomicBoolean slept = new AtomicBoolean();
    BeforeRequest.Step others =
        () -> {
          if (!slept.getAndSet(true)) {
            overwriteAndDecide(later, file);
          }
        };
    job.through(path -> BeforeRequest.of(store, "abortUpload", others)).commit(plain(job, first));
    if (!slept.get()) {
      overwriteAndDecide(later, file);
    }
    recovery().run(NOW);
    assertThat(data()).contains(file.key());
    assertThat(store.content(file.key())).asString(UTF_8).isEqualTo(later.id());
  }

  private static PendingUpload plainFile(TestJob of) throws IOException {
    of.withPlainNames().settlingFor(Duration.ZERO);
    try (MultipartUploads uploads = of.uploads("a")) {
      UploadStream stream = uploads.open(new Path(TestJob.TABLE, "part-0"));
      stream.write(of.id().getBytes(UTF_8));
      stream.close();
      return (PendingUpload) stream.file();
    }
  }

  private static CommitRequest plain(TestJob of, PendingUpload... files) throws IOException {
    return Requests.of(
        of.outputJob(),
        Manifests.of(List.of(TaskManifest.of(of.id(), "a", List.of(files)))),
        Overwrite.none(),
        Optional.of(of.log().now()));
  }

  /** The later job is decided with all checks that it makes before. */
  private void overwriteAndDecide(TestJob later, PendingUpload file) throws IOException {
    overwrite(job("job-9"));
    decide(later, plain(later, file));
  }

  private void decide(TestJob of, CommitRequest request) throws IOException {
    LogTail tail = of.log().tail();
    new FindDecision(of.log(), request).refuseBesideOpenEntries(tail);
    Workers workers = of.settings().workers();
    PlanWriter plan = of.log().newPlan(request.job());
    SmallFiles none = new SmallFiles(stores, of.directory());
    NewFiles files = NewFiles.load(stores, request, none, plan, workers);
    new ListReplaced(stores, request, files, plan, workers)
        .run(Set.of(), (directory, object) -> {});
    plan.writeRest();
    files.refuseVanished(workers);
    Decisions.decide(of.log(), plan.draft(files.scope(), Set.of(), new TreeSet<>()), tail);
  }

  /** LOAD DATA has ended before the first of two overwrites, and behind the second's listing. */
  @Test
  void whatOnlyAFollowedOverwriteHasListedIsReplaced() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    TestJob crashed = job("job-5").task("a", "day=1/0");
    TestJob second = job("job-9").task("a", "day=1/0");
    ObjectStore slow =
        BeforeRequest.first(
            store,
            "putObjectIfAbsent",
            () -> {
              store.plant(T + "day=1/loaded.csv", new byte[1]);
              crashed.decideAndDie(Overwrite.directory(TestJob.TABLE));
            });
    second.through(path -> slow).overwrite(TestJob.TABLE);
    assertThat(job.log().read(2).orElseThrow().follows()).containsExactly(1L);
    recovery().run(NOW);
    assertThat(data()).containsExactly(second.key("day=1/0"));
  }

  /** LOAD DATA OVERWRITE; an overwrite between has listed its file, and died. */
  @Test
  void whatAnEnginesStatementHasWrittenStays() throws IOException {
    EngineStatement statement =
        new EngineStatement(stores, job.log(), job.settings(), List.of(TestJob.TABLE));
    store.plant(T + "loaded.csv", new byte[1]);
    job.task("a", "day=1/0").decideAndDie(Overwrite.directory(TestJob.TABLE));
    statement.commit(
        new OutputJob("load", "LOAD DATA", List.of(TestJob.TABLE)),
        List.of(TestJob.TABLE),
        since -> true);
    recovery().run(NOW);
    assertThat(data()).containsExactly(T + "loaded.csv");
  }

  @Test
  void whatIsRewrittenHalfAMinuteBehindTheListingStays() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0");
    ObjectStore slow =
        BeforeRequest.of(
            store,
            "completeUpload",
            () -> {
              store.plant(T + "day=1/old", new byte[2]);
              store.pass(Duration.ofSeconds(31));
            });
    job.through(path -> slow).overwrite(TestJob.TABLE);
    assertThat(data()).containsExactlyInAnyOrder(job.key("day=1/0"), T + "day=1/old");
  }

  /** The objects that it has compared are on the page of the listing before. */
  @Test
  @Tag("thorough")
  void whatIsRewrittenWhileTheNextPageIsAskedForStays() throws Exception {
    List<OldObject> old = plantOld(600);
    for (int i = 0; i < 600; i++) {
      store.plant(T + "%07d_new".formatted(i), new byte[1]);
    }
    // It sleeps once, and deletes what it sees unchanged after that.
    AtomicInteger shown = new AtomicInteger();
    ForwardingStore sleeping =
        new ForwardingStore(store) {
          @Override
          public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
            return RemoteIterators.mappingRemoteIterator(
                super.listObjects(prefix),
                object -> {
                  if (shown.incrementAndGet() == PAGE_SIZE + 1) {
                    SleepingProcessesTest.this.store.plant(T + "0000001_old", new byte[2]);
                    longerThanComparisonsCount();
                  }
                  return object;
                });
          }
        };
    new DeleteReplaced(new RetriedStores(path -> sleeping), new Workers(1, 512))
        .run(RemoteIterators.remoteIteratorFromSingleton(old), () -> false);
    assertThat(data()).contains(T + "0000001_old").hasSize(601);
  }

  /** The objects behind those are shown by an answer that was asked for before. */
  @Test
  void whatIsReplacedWhileOthersAreBeingDeletedStays() throws IOException {
    List<OldObject> old = plantOld(1_500);
    // So that a batch is full in the midst of a page.
    store.plant(T + "0000000_new", new byte[1]);
    ObjectStore sleeping =
        BeforeRequest.first(
            store,
            "deleteObjects",
            () -> {
              store.plant(T + "0001200_old", new byte[2]);
              sleep(Duration.ofSeconds(11));
            });
    new DeleteReplaced(new RetriedStores(path -> sleeping), new Workers(1, 512))
        .run(RemoteIterators.remoteIteratorFromSingleton(old), () -> false);
    assertThat(data()).containsExactly(T + "0000000_new", T + "0001200_old");
  }

  @Test
  @Tag("thorough")
  void whatIsLoadedUnderAPlainNameWhileOthersAreComparedStays() throws IOException {
    job.withPlainNames().settlingFor(Duration.ZERO);
    List<PendingUpload> files = new ArrayList<>();
    try (MultipartUploads uploads = job.uploads("a")) {
      for (String name : List.of("part-0", "part-1")) {
        UploadStream stream = uploads.open(new Path(TestJob.TABLE, name));
        stream.write(new byte[1]);
        stream.close();
        files.add((PendingUpload) stream.file());
      }
    }
    decide(job, plain(job, files.toArray(PendingUpload[]::new)));
    AtomicInteger looks = new AtomicInteger();
    ObjectStore sleeping =
        BeforeRequest.of(
            store,
            "headObject",
            () -> {
              if (looks.incrementAndGet() == 2) {
                store.deleteObjects(List.of(T + "part-0"));
                store.plant(T + "part-0", new byte[2]);
                longerThanComparisonsCount();
              }
            });
    TestJob second = job("job-9").task("a", "day=1/0");
    try {
      second.through(new RetriedStores(path -> sleeping)).overwrite(TestJob.TABLE);
    } catch (CommitStateUnknownException e) {
      recovery().run(Duration.ZERO, Manner.BY_OPERATOR);
    }
    assertThat(looks).hasValueGreaterThanOrEqualTo(2);
    assertThat(data()).containsExactly(second.key("day=1/0"), T + "part-0");
  }

  private List<OldObject> plantOld(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      store.plant(T + "%07d_old".formatted(i), new byte[1]);
    }
    List<OldObject> old = new ArrayList<>();
    RemoteIterators.foreach(
        store.listObjects(T),
        it ->
            old.add(
                new OldObject(new Path("s3a://bucket/"), it.key(), it.etag(), it.lastModified())));
    return old;
  }

  private static void longerThanComparisonsCount() throws IOException {
    sleep(Duration.ofSeconds(21));
  }

  private static void sleep(Duration time) throws IOException {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** By the process that has sent it, within milliseconds. */
  @Test
  void aCompleteThatFailsLateAndIsRepeatedBringsNothingBack() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    String key = job.key("day=1/0");
    PendingUpload upload = upload(job, 0);
    Duration settling = CommitSettings.from(new Configuration(false)).settling();
    store.beginCompleting(key);
    AtomicBoolean repeated = new AtomicBoolean();
    AtomicBoolean appeared = new AtomicBoolean();
    TestJob second = job("job-9").settlingFor(settling).task("a", "day=1/0");
    commit(
        second,
        Overwrite.directory(TestJob.TABLE),
        (time, why) -> {
          pass(time, why);
          if (waited.toSeconds() > 115 && !repeated.getAndSet(true)) {
            store.endCompleting(key);
            store.beginCompleting(key);
          }
          if (waited.toSeconds() > 410) {
            appear(upload, appeared);
          }
        });
    appear(upload, appeared);
    assertThat(repeated).isTrue();
    recovery().run(NOW);
    assertThat(data()).containsExactly(second.key("day=1/0"));
  }

  private void appear(PendingUpload upload, AtomicBoolean appeared) {
    if (!appeared.getAndSet(true)) {
      store.endCompleting(upload.key());
      try {
        complete(upload);
      } catch (IOException e) {
        throw new AssertionError("nobody has completed it", e);
      }
    }
  }

  private static final Duration GRACE = Duration.ofMinutes(5);

  private TestJob settling(String id) throws IOException {
    return job(id).settlingFor(GRACE);
  }

  @Test
  void anOverwriteWaitsWhereARecoveryHasLeftFilesToOneThatHasNotEnded() throws IOException {
    onAStoreThatCompletesOnce();
    TestJob first = settling("first").task("a", "day=1/0");
    first.decideAndDie(Overwrite.none());
    settling("second").task("a", "day=1/7").decideAndDie(Overwrite.directoriesOfFiles());
    settling("third").task("a", "day=1/8").decideAndDie(Overwrite.directoriesOfFiles());
    job = first;
    store.beginCompleting(first.key("day=1/0"));
    recovery().run(GRACE);
    waited = Duration.ZERO;

    TestJob last = settling("last").task("a", "day=1/9");
    commit(last, Overwrite.directoriesOfFiles());

    assertThat(waited).isGreaterThan(GRACE.minusSeconds(10));
    assertThat(data()).containsExactly(last.key("day=1/9"));
  }

  @Test
  void whatAnOverwriteHasListedIsNotCutBeforeItCanDecide() throws IOException {
    onAStoreThatCompletesOnce();
    job("old").task("a", "day=1/0").decideAndDie(Overwrite.none());
    // The highest entry stays in any case.
    insert(job("higher").task("a", "day=2/0"));
    store.pass(Duration.ofDays(8));
    TestJob overwrite = job("overwrite").task("a", "day=1/7");
    LogTail listed = overwrite.log().tail();
    LogEntry draft = overwrite.draft(Overwrite.directoriesOfFiles(), listed);
    recovery().run(NOW);
    store.pass(Duration.ofMinutes(6));

    assertThat(overwrite.log().cut(CoreKeys.FEWEST_LOG_DAYS)).isZero();

    Decisions.decide(job.log(), draft, listed);
    recovery().run(NOW);
    assertThat(data()).containsExactly(overwrite.key("day=1/7"), T + "day=2/0.higher");
  }
}
