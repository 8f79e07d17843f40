package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lifecycle rule, or somebody's clean-up, has removed uploads that a job needs. */
class VanishedUploadsTest {
  private static final Duration LONG_AGO = Duration.ofHours(13);

  @TempDir Path workDir;

  private static List<Variant> variants() {
    return List.of(
        Variant.aws(),
        Variant.aws().withSecondCompleteRefused(),
        Variant.aws().withUploadsListedByExactKey());
  }

  @Test
  void everySubsetThatVanishesAfterTheDecisionIsToldAndTheOthersAreVisible() throws IOException {
    for (Variant variant : variants()) {
      for (int subset = 1; subset < 1 << 3; subset++) {
        vanish(variant, subset, true);
        vanish(variant, subset, false);
      }
    }
  }

  /**
   * @param crashed whether the job's process has died, so that a recovery meets the damage first
   */
  private void vanish(Variant variant, int subset, boolean crashed) throws IOException {
    String when = variant + ", subset " + Integer.toBinaryString(subset) + ", crashed " + crashed;
    SimulatedCluster cluster = new SimulatedCluster("vanish", variant, false);
    JobKind kind = JobKind.OVERWRITE_PARTITIONS;
    kind.there().forEach(key -> cluster.store.plant(key, "old".getBytes(UTF_8)));
    Set<String> before = cluster.table();
    Set<String> lost = new TreeSet<>();
    List<SimulatedJob> jobs = new ArrayList<>();
    Calls calls =
        new Calls() {
          private boolean dead;

          @Override
          public <T> T make(Call call, Effect<T> effect) throws IOException {
            if (dead) {
              throw new IOException("the process has crashed");
            }
            T result = effect.take();
            if (call.what().matches("(PUT|rename to) .*/log/_\\d{12}")) {
              List<PendingUpload> uploads = jobs.get(0).uploads();
              for (int i = 0; i < uploads.size(); i++) {
                if ((subset & (1 << i)) != 0) {
                  cluster.store.loseUpload(uploads.get(i).key(), uploads.get(i).uploadId());
                  lost.add(uploads.get(i).key());
                }
              }
              dead = crashed;
            }
            return result;
          }
        };
    SimulatedJob job = new SimulatedJob(cluster, cluster.new View(calls), kind, "job-a");
    // The hook reads the manifests undisturbed.
    jobs.add(new SimulatedJob(cluster, cluster.undisturbed(), kind, "job-a"));
    Told told = job.run();
    assertThat(told).as(when).isEqualTo(crashed ? Told.UNKNOWN : Told.DAMAGED);

    Set<String> expected = new TreeSet<>(before);
    job.made().stream()
        .filter(object -> !lost.contains(object.substring(0, object.lastIndexOf('='))))
        .forEach(expected::add);
    SimulatedRecovery recovery = new SimulatedRecovery(cluster.undisturbed(), false);
    for (int run = 0; run < 2; run++) {
      assertThat(recovery.run())
          .as(when)
          .singleElement()
          .isInstanceOfSatisfying(
              Recovered.Damaged.class,
              damaged ->
                  assertThat(
                          damaged.lost().stream()
                              .map(path -> path.toUri().getPath().substring(1))
                              .collect(Collectors.toSet()))
                      .as(when)
                      .isEqualTo(lost));
      assertThat(cluster.table()).as(when).isEqualTo(expected);
    }

    SimulatedJob next = new SimulatedJob(cluster, cluster.undisturbed(), JobKind.APPEND, "job-b");
    assertThat(next.run()).as(when).isEqualTo(Told.COMMITTED);
    expected.addAll(next.made());
    assertThat(cluster.table()).as(when).isEqualTo(expected);

    recovery.recovery().giveUp(Duration.ZERO);
    assertThat(recovery.run()).as(when).isEmpty();
    // Without the lost file it is executed to its end.
    expected.removeIf(
        object -> kind.replaced().contains(object.substring(0, object.lastIndexOf('='))));
    kind.markers().forEach(key -> expected.add(key + "="));
    assertThat(cluster.table()).as(when).isEqualTo(expected);
    // Nobody may take it for complete, because somebody has put an end to it.
    SimulatedJob again = new SimulatedJob(cluster, cluster.undisturbed(), kind, "job-a");
    assertThat(again.commit(true)).as(when).isEqualTo(Told.UNKNOWN);
    assertThat(again.failure()).as(when).hasMessageContaining("without some of its files");
    assertThat(lost).as(when).allMatch(key -> again.failure().getMessage().contains(key));
    assertThat(cluster.table()).as(when).isEqualTo(expected);
    SimulatedJob overwrite =
        new SimulatedJob(cluster, cluster.undisturbed(), JobKind.OVERWRITE_TABLE, "job-c");
    assertThat(overwrite.run()).as(when).isEqualTo(Told.COMMITTED);
    assertThat(cluster.table()).as(when).isEqualTo(overwrite.made());
    recovery.sweepLate(8);
    recovery.sweepLate(16);
    assertThat(cluster.store.pendingKeys()).as(when).isEmpty();
  }

  @Test
  void whatVanishesBeforeTheDecisionOfALongJobFailsItCleanly() throws IOException {
    InMemoryObjectStore store = new InMemoryObjectStore("bucket");
    TestJob job = job(store).task("a", "day=1/0", "day=1/1");
    store.plant("warehouse/t/day=1/old", new byte[1]);
    PendingUpload lost = job.chosen().get(0).uploads().get(1);
    store.loseUpload(lost.key(), lost.uploadId());
    for (Optional<Instant> begun :
        List.of(Optional.of(Instant.now().minus(LONG_AGO)), Optional.<Instant>empty())) {
      assertThatThrownBy(() -> commit(job, begun))
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("The upload to " + lost.destination() + " has vanished")
          .hasMessageContaining("fs.s3a.multipart.purge");
    }
    assertThat(store.keys()).containsExactly("warehouse/t/day=1/old");
    assertThat(job.isDecided()).isFalse();
    job.abort();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void onlyALongJobPaysForTheLook() throws IOException {
    InMemoryObjectStore store = new InMemoryObjectStore("bucket");
    TestJob job = job(store).task("a", "day=1/0", "day=1/1");
    store.resetCounts();
    commit(job, Optional.of(Instant.now()));
    assertThat(store.requests()).doesNotContainKey(RequestType.LIST_PARTS);

    TestJob longer = job(store, "job-2").task("a", "day=1/0", "day=1/1");
    store.resetCounts();
    commit(longer, Optional.of(Instant.now().minus(LONG_AGO)));
    assertThat(store.requests()).containsEntry(RequestType.LIST_PARTS, 2L);
  }

  @Test
  void aPrecautionThatIsNotPermittedDoesNotFailALongJob() throws IOException {
    InMemoryObjectStore store = new InMemoryObjectStore("bucket");
    TestJob job = job(store).task("a", "day=1/0", "day=1/1");
    store.faults().failFrom(RequestType.LIST_PARTS, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    commit(job, Optional.of(Instant.now().minus(LONG_AGO)));
    assertThat(store.keys()).containsExactly(job.key("day=1/0"), job.key("day=1/1"));
  }

  private TestJob job(InMemoryObjectStore store) throws IOException {
    return job(store, "job-1");
  }

  private TestJob job(InMemoryObjectStore store, String id) throws IOException {
    return new TestJob(store, FileSystem.getLocal(new Configuration(false)), workDir, id);
  }

  private static void commit(TestJob job, Optional<Instant> begun) throws IOException {
    job.commit(
        new CommitRequest(
            job.outputJob(),
            ManifestSource.of(job.chosen()),
            Overwrite.directoriesOfFiles(),
            begun));
  }
}
