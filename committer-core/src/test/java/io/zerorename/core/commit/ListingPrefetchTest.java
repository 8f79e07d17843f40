package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When an overwrite relies on what was read of the log and of old files before its plan. */
@Timeout(300)
class ListingPrefetchTest extends TimedCommits {
  private static final Path DAY = new Path(TestJob.TABLE, "day=1");

  @BeforeEach
  void oneOldFile() throws IOException {
    job.task("a", "day=1/0");
    store.plant(T + "day=1/old", new byte[1]);
    store.resetCounts();
  }

  private ListingPrefetch begin(Path... directories) {
    return begin(store, 2, directories);
  }

  private ListingPrefetch begin(ObjectStore through, int threads, Path... directories) {
    return ListingPrefetch.begin(
        path -> through,
        CommitLog.inBucket(path -> through, TestJob.LOG),
        Instant.EPOCH,
        CommitSettings.ofThreads(threads),
        List.of(TestJob.TABLE),
        Set.of(directories));
  }

  private CommitReport overwrite(ListingPrefetch ahead) throws IOException {
    return overwrite(ahead, Manifests.of(job.chosen()));
  }

  private CommitReport overwrite(ListingPrefetch ahead, ManifestSource manifests)
      throws IOException {
    return job.commit(
        new CommitRequest(
            job.outputJob(),
            manifests,
            Overwrite.directoriesOfFiles(),
            Optional.of(Instant.now()),
            ahead,
            () -> {},
            true));
  }

  @Test
  void itTakesThePlaceOfTheLookAndTheListingOfTheCommit() throws IOException {
    try (ListingPrefetch ahead = begin(DAY)) {
      assertThat(overwrite(ahead).replaced()).isEqualTo(1);
    }
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.LIST, 2L,
                RequestType.LIST_UPLOADS, 1L,
                RequestType.PUT, 2L,
                RequestType.COMPLETE_UPLOAD, 1L,
                RequestType.BULK_DELETE, 1L));
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void itReadsTheLogBeforeItLists() throws IOException {
    AtomicInteger lists = new AtomicInteger();
    TestJob other = job("job-2").task("a", "day=1/1");
    ObjectStore meanwhile =
        BeforeRequest.of(
            store,
            "listObjects",
            () -> {
              if (lists.incrementAndGet() == 2) {
                other.insert();
              }
            });
    try (ListingPrefetch ahead = begin(meanwhile, 2, DAY)) {
      ListingPrefetch.Listed listed = ahead.await().orElseThrow();
      assertThat(listed.tail().highest()).isZero();
      assertThat(listed.objects()).hasSize(2);
      overwrite(ahead);
    }
    assertThat(job.log().read(2).orElseThrow().follows()).containsExactly(1L);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void itGoesOnWhileTheEngineMakesUpItsMind() throws IOException {
    CountDownLatch go = new CountDownLatch(1);
    ObjectStore waiting = BeforeRequest.of(store, "listObjects", go::await);
    try (ListingPrefetch ahead = begin(waiting, 2, DAY)) {
      assertThat(store.requests()).isEmpty();
      go.countDown();
      overwrite(ahead);
    }
    assertThat(store.requests()).containsEntry(RequestType.LIST, 2L);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void entriesThatHaveNotEndedAreFollowed() throws IOException {
    TestJob other = job("job-2").task("a", "day=1/1", "day=1/2");
    other.decideAndDie(Overwrite.none(), ELSEWHERE);
    try (ListingPrefetch ahead = begin(DAY)) {
      assertThat(ahead.await().orElseThrow().follows()).containsExactly(1L);
      assertThat(overwrite(ahead).replaced()).isEqualTo(1);
    }
    assertThat(data()).containsExactly(job.key("day=1/0"));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void commitsOfOtherDirectoriesDoNotStandAgainstIt() throws IOException {
    TestJob other = job("job-2").task("a", "day=2/1");
    other.decideAndDie(Overwrite.none(), ELSEWHERE);
    store.resetCounts();
    try (ListingPrefetch ahead = begin(DAY)) {
      assertThat(ahead.await().orElseThrow().follows()).isEmpty();
      overwrite(ahead);
    }
    assertThat(store.requests())
        .containsEntry(RequestType.LIST, 2L)
        .containsEntry(RequestType.GET, 1L);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void aPlanThatReplacesOtherDirectoriesListsThem() throws IOException {
    store.plant(T + "day=2/old", new byte[1]);
    try (ListingPrefetch ahead = begin(DAY, new Path(TestJob.TABLE, "day=2"))) {
      overwrite(ahead);
    }
    assertThat(store.requests())
        .as("the log is not read again")
        .containsEntry(RequestType.LIST, 4L);
    assertThat(data()).containsExactly(job.key("day=1/0"), T + "day=2/old");
  }

  @Test
  void whatIsDecidedAfterItIsFollowedToo() throws IOException {
    try (ListingPrefetch ahead = begin(DAY)) {
      assertThat(ahead.await()).isPresent();
      job("job-2").task("a", "day=1/1").insert();
      job("job-3").task("a", "day=1/1").decideAndDie(Overwrite.none(), ELSEWHERE);
      job("job-4").task("a", "day=2/1").insert();
      overwrite(ahead);
    }
    assertThat(job.log().read(4).orElseThrow().follows()).containsExactly(1L, 2L);
    assertThat(data()).containsExactly(job.key("day=1/0"), T + "day=2/1.job-4");
  }

  @Test
  void whatOthersAddOutsideOfTheLogAfterItStays() throws IOException {
    try (ListingPrefetch ahead = begin(DAY)) {
      assertThat(ahead.await()).isPresent();
      store.plant(T + "day=1/foreign", new byte[1]);
      overwrite(ahead);
    }
    assertThat(data()).containsExactly(job.key("day=1/0"), T + "day=1/foreign");
  }

  @Test
  void tooManyObjectsAreListedByThePlan() throws IOException {
    for (int i = 0; i < ListingPrefetch.MOST_OBJECTS; i++) {
      store.plant(T + "day=1/old" + i, new byte[1]);
    }
    try (ListingPrefetch ahead = begin(DAY)) {
      assertThat(ahead.await()).isEmpty();
      assertThat(overwrite(ahead).replaced()).isEqualTo(ListingPrefetch.MOST_OBJECTS + 1);
    }
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void whereItFailsTheCommitReadsOnceMore() throws IOException {
    for (int failing = 1; failing <= 2; failing++) {
      TestJob again = job("again-" + failing).task("a", "day=1/0");
      store.faults().fail(RequestType.LIST, failing, Moment.BEFORE_EFFECT, Kind.REJECTED);
      try (ListingPrefetch ahead = begin(DAY)) {
        assertThat(ahead.await()).isEmpty();
        again.commit(
            new CommitRequest(
                again.outputJob(),
                Manifests.of(again.chosen()),
                Overwrite.directoriesOfFiles(),
                Optional.of(Instant.now()),
                ahead,
                () -> {},
                true));
      }
      assertThat(data()).containsExactly(again.key("day=1/0"));
    }
  }

  @Test
  void itEndsWithTheJob() throws Exception {
    CountDownLatch listing = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    ObjectStore slow =
        BeforeRequest.of(
            store,
            "listObjects",
            () -> {
              listing.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw new IOException(e);
              }
            });
    try (ListingPrefetch ahead = begin(slow, 2, DAY)) {
      assertThat(ahead.isOf(Set.of(DAY))).isTrue();
      listing.await();
    }
    assertThat(interrupted.getCount()).isZero();
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void oneThreadOrNoDirectorySendsNoRequestsAhead() throws IOException {
    try (ListingPrefetch alone = begin(store, 1, DAY);
        ListingPrefetch nothing = begin()) {
      assertThat(alone.await()).isEmpty();
      assertThat(nothing.await()).isEmpty();
    }
    assertThat(store.requests()).isEmpty();
  }
}
