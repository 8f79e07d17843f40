package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When an overwrite relies on a listing of old files that was begun before its plan. */
@Timeout(300)
class ListingAheadTest {
  private static final String T = "warehouse/t/";
  private static final Path DAY = new Path(TestJob.TABLE, "day=1");
  private static final ProcessIdentity ELSEWHERE =
      new ProcessIdentity("elsewhere", 1, Instant.EPOCH);

  /** Of a listing that serves, however slow the machine is. */
  private static final Duration ANY_AGE = Duration.ofHours(1);

  @TempDir java.nio.file.Path workDir;

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private final List<Set<Path>> prepared = new ArrayList<>();
  private TestJob job;

  @BeforeEach
  void newJob() throws IOException {
    job = job("job-1").task("a", "day=1/0");
    store.plant(T + "day=1/old", new byte[1]);
    store.resetCounts();
  }

  private TestJob job(String id) throws IOException {
    FileSystem fileSystem = new BreakableFileSystem();
    return TestJob.decidedInBucket(store, fileSystem, workDir, id);
  }

  private Recovery recovery() {
    return new Recovery(store, job.log(), job.settings(), new EngineWithoutRecords(root -> true));
  }

  private ListingAhead begin(Path... directories) {
    Set<Path> replaced = Set.of(directories);
    return ListingAhead.begin(
        store,
        2,
        List.of(TestJob.TABLE),
        replaced,
        () -> recovery().isClear(Set.of(job.id()), replaced),
        ANY_AGE);
  }

  private CommitReport overwrite(ListingAhead ahead) throws IOException {
    return overwrite(ahead, ManifestSource.of(job.chosen()));
  }

  private CommitReport overwrite(ListingAhead ahead, ManifestSource manifests) throws IOException {
    return job.commit(
        new CommitRequest(
            job.outputJob(),
            manifests,
            Overwrite.directoriesOfFiles(),
            Optional.of(Instant.now()),
            false,
            new CommitRequest.Preparation() {
              @Override
              public ListingAhead ahead() {
                return ahead;
              }

              @Override
              public void run(Set<Path> replaced) throws IOException {
                prepared.add(replaced);
                recovery().clear(Duration.ZERO, Set.of(job.id()), replaced);
              }
            }));
  }

  private List<String> data() {
    return store.keys().stream().filter(key -> key.startsWith(T)).toList();
  }

  @Test
  void itTakesThePlaceOfTheLookAndTheListingOfTheCommit() throws IOException {
    try (ListingAhead ahead = begin(DAY)) {
      assertThat(overwrite(ahead).replaced()).isEqualTo(1);
    }
    assertThat(prepared).isEmpty();
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.LIST, 2L,
                RequestType.PUT, 3L,
                RequestType.COMPLETE_UPLOAD, 1L,
                RequestType.BULK_DELETE, 2L));
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void itGoesOnWhileManifestsAreRead() throws IOException {
    CountDownLatch readingHasBegun = new CountDownLatch(1);
    ListingAhead.Look afterReadingHasBegun =
        () -> {
          try {
            readingHasBegun.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
          return true;
        };
    try (ListingAhead ahead =
        ListingAhead.begin(store, 2, List.of(TestJob.TABLE), Set.of(DAY), afterReadingHasBegun)) {
      overwrite(
          ahead,
          (workers, action) -> {
            readingHasBegun.countDown();
            ManifestSource.of(job.chosen()).forEach(workers, action);
          });
    }
    assertThat(prepared).isEmpty();
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void nothingIsListedAheadWhereAnotherCommitIsOpenInTheDirectories() throws IOException {
    TestJob other = job("job-2").task("a", "day=1/1", "day=1/2");
    other.decideAndDie(Overwrite.none(), ELSEWHERE);
    try (ListingAhead ahead = begin(DAY)) {
      assertThat(ahead.await(Set.of(DAY))).isEmpty();
      // What the other was making visible is ended first, and then replaced.
      assertThat(overwrite(ahead).replaced()).isEqualTo(3);
    }
    assertThat(prepared).containsExactly(Set.of(DAY));
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void commitsOfOtherDirectoriesDoNotStandAgainstIt() throws IOException {
    TestJob other = job("job-2").task("a", "day=2/1");
    other.decideAndDie(Overwrite.none(), ELSEWHERE);
    store.resetCounts();
    try (ListingAhead ahead = begin(DAY)) {
      overwrite(ahead);
    }
    assertThat(prepared).isEmpty();
    assertThat(store.requests()).containsEntry(RequestType.LIST, 2L);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void itLooksBeforeItListsAndAtOnce() throws IOException {
    List<String> order = new ArrayList<>();
    ListingAhead.Look look =
        () -> {
          order.add("look");
          assertThat(store.requests()).doesNotContainKey(RequestType.LIST);
          return true;
        };
    try (ListingAhead ahead =
        ListingAhead.begin(store, 2, List.of(TestJob.TABLE), Set.of(DAY), look)) {
      assertThat(ahead.await(Set.of(DAY)).orElseThrow().objects()).hasSize(1);
    }
    assertThat(order).containsExactly("look");
  }

  @Test
  void aPlanThatReplacesOtherDirectoriesListsThem() throws IOException {
    store.plant(T + "day=2/old", new byte[1]);
    try (ListingAhead ahead = begin(DAY, new Path(TestJob.TABLE, "day=2"))) {
      overwrite(ahead);
    }
    assertThat(prepared).containsExactly(Set.of(DAY));
    assertThat(data()).containsExactly(job.key("day=1/0"), T + "day=2/old");
  }

  @Test
  void anOldListingIsMadeAgain() throws IOException {
    Duration none = Duration.ZERO;
    try (ListingAhead ahead =
        ListingAhead.begin(store, 2, List.of(TestJob.TABLE), Set.of(DAY), () -> true, none)) {
      overwrite(
          ahead,
          (workers, action) -> {
            // It serves only who has waited for it; a slow test may come when it has ended.
            ahead.await(Set.of(DAY));
            assertThat(store.requests()).containsEntry(RequestType.LIST, 1L);
            store.plant(T + "day=1/meanwhile", new byte[1]);
            ManifestSource.of(job.chosen()).forEach(workers, action);
          });
    }
    assertThat(prepared).containsExactly(Set.of(DAY));
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void whatOthersAddAfterItStays() throws IOException {
    try (ListingAhead ahead = begin(DAY)) {
      assertThat(ahead.await(Set.of(DAY))).isPresent();
      job("job-2").task("a", "day=1/1").insert();
      overwrite(ahead);
    }
    assertThat(data()).containsExactly(job.key("day=1/0"), T + "day=1/1.job-2");
  }

  @Test
  void tooManyObjectsAreListedByThePlan() throws IOException {
    for (int i = 0; i < ListingAhead.MOST_OBJECTS; i++) {
      store.plant(T + "day=1/old" + i, new byte[1]);
    }
    try (ListingAhead ahead = begin(DAY)) {
      assertThat(ahead.await(Set.of(DAY))).isEmpty();
      assertThat(overwrite(ahead).replaced()).isEqualTo(ListingAhead.MOST_OBJECTS + 1);
    }
    assertThat(prepared).containsExactly(Set.of(DAY));
  }

  @Test
  void whereItFailsTheCommitListsOnceMore() throws IOException {
    store.faults().fail(RequestType.LIST, 2, Moment.BEFORE_EFFECT, Kind.REJECTED);
    try (ListingAhead ahead = begin(DAY)) {
      overwrite(ahead);
    }
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void itEndsWithTheJob() throws IOException {
    CountDownLatch looking = new CountDownLatch(1);
    List<String> ended = new ArrayList<>();
    try (ListingAhead ahead =
        ListingAhead.begin(
            store,
            2,
            List.of(TestJob.TABLE),
            Set.of(DAY),
            () -> {
              looking.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                ended.add("interrupted");
              }
              return false;
            })) {
      assertThat(ahead.await(Set.of())).isEmpty();
      looking.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    assertThat(ended).containsExactly("interrupted");
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void oneThreadSendsNoRequestsBesideItsOwn() throws IOException {
    try (ListingAhead ahead =
        ListingAhead.begin(store, 1, List.of(TestJob.TABLE), Set.of(DAY), () -> true)) {
      assertThat(ahead.await(Set.of(DAY))).isEmpty();
    }
    assertThat(store.requests()).isEmpty();
  }
}
