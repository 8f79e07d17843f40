package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.Requests;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lifecycle rule, or the abort of another committer, has removed uploads that a job needs. */
class VanishedUploadsTest {
  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");

  private static final String OLD_FILE = "warehouse/t/day=1/old";
  private static final Optional<Instant> YOUNG = Optional.of(Instant.now());
  private static final Optional<Instant> OLD =
      Optional.of(Instant.now().minus(Duration.ofHours(13)));

  @TempDir Path workDir;

  private static List<Variant> variants() {
    return List.of(
        Variant.aws(),
        Variant.aws().withSecondCompleteRefused(),
        Variant.aws().withUploadsListedByExactKey());
  }

  /** As a job of an S3A committer does at its end. */
  @Test
  void anAbortOfAllUploadsBelowTheDestinationFailsTheJobCleanlyOnEachStore() throws IOException {
    for (Variant variant : variants()) {
      InMemoryObjectStore store = new InMemoryObjectStore("bucket", variant);
      TestJob job = job(store, "job-" + variant.hashCode()).task("a", "day=1/0", "day=1/1");
      store.plant(OLD_FILE, new byte[1]);
      List<PendingUpload> lost = job.chosen().get(0).uploads();
      for (PendingUpload upload : lost) {
        store.abortUpload(upload.key(), upload.uploadId());
      }
      store.resetCounts();
      assertFailsCleanly(job, lost.get(0), YOUNG);
      assertThat(store.requests())
          .as("%s, and the log once more", variant)
          .isEqualTo(
              Map.of(
                  RequestType.LIST_UPLOADS, 1L, RequestType.LIST_PARTS, 1L, RequestType.LIST, 1L));
      assertThat(store.keys()).containsExactly(OLD_FILE);
    }
  }

  @Test
  void anUploadWithoutPartsHasVanishedToo() throws IOException {
    InMemoryObjectStore store = new InMemoryObjectStore("bucket");
    TestJob job = job(path -> new ListsNoParts(store), "job-1").task("a", "day=1/0");
    PendingUpload lost = job.chosen().get(0).uploads().get(0);
    store.abortUpload(lost.key(), lost.uploadId());
    assertFailsCleanly(job, lost, YOUNG);
  }

  private static void assertFailsCleanly(TestJob job, PendingUpload lost, Optional<Instant> begun)
      throws IOException {
    assertThatThrownBy(() -> commit(job, begun))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("ZR-1128: The upload to " + lost.destination() + " has vanished")
        .hasMessageContaining("set fs.s3a.committer.abort.pending.uploads to false")
        .hasMessageContaining("fs.s3a.multipart.purge")
        .hasMessageContaining("Nothing of it is visible and no old file was deleted");
    assertThat(job.isDecided()).isFalse();
  }

  @Test
  void eachThousandUploadsTakeOneListing() throws IOException {
    InMemoryObjectStore store = new InMemoryObjectStore("bucket");
    assertThat(checks(store, job(store).task("a", "day=1/0"), YOUNG)).isEqualTo(listings(1));
    assertThat(checks(store, job(store, "job-3").task("a", files(1001)), OLD))
        .isEqualTo(listings(2));
  }

  /** MinIO; and the listing of any store may come late. */
  @Test
  void whereTheListingShowsNoneAFewAreAskedForAndOneOfManyUnlessTheJobTookLong()
      throws IOException {
    InMemoryObjectStore store =
        new InMemoryObjectStore("bucket", Variant.aws().withUploadsListedByExactKey());
    assertThat(checks(store, job(store).task("a", files(10)), YOUNG))
        .isEqualTo(Map.of(RequestType.LIST_UPLOADS, 1L, RequestType.LIST_PARTS, 10L));
    assertThat(checks(store, job(store, "job-2").task("a", files(11)), YOUNG))
        .isEqualTo(Map.of(RequestType.LIST_UPLOADS, 1L, RequestType.LIST_PARTS, 1L));
    assertThat(checks(store, job(store, "job-3").task("a", files(11)), OLD))
        .isEqualTo(Map.of(RequestType.LIST_UPLOADS, 1L, RequestType.LIST_PARTS, 11L));
  }

  /** Also where the store does not know them. */
  @Test
  void aPrecautionThatIsNotPermittedDoesNotFailAJob() throws IOException {
    for (Kind kind : List.of(Kind.ACCESS_DENIED, Kind.REJECTED)) {
      InMemoryObjectStore store = new InMemoryObjectStore("bucket");
      TestJob job = job(store, "job-" + kind).task("a", "day=1/0", "day=1/1");
      store.faults().failFrom(RequestType.LIST_UPLOADS, 1, Moment.BEFORE_EFFECT, kind);
      assertThat(checks(store, job, YOUNG))
          .isEqualTo(Map.of(RequestType.LIST_UPLOADS, 1L, RequestType.LIST_PARTS, 2L));
      assertThat(store.keys()).containsExactly(job.key("day=1/0"), job.key("day=1/1"));

      TestJob vanished = job(store, "vanished-" + kind).task("a", "day=1/0");
      PendingUpload lost = vanished.chosen().get(0).uploads().get(0);
      store.loseUpload(lost.key(), lost.uploadId());
      assertFailsCleanly(vanished, lost, YOUNG);
    }
  }

  private static Map<RequestType, Long> listings(long pages) {
    return Map.of(RequestType.LIST_UPLOADS, pages);
  }

  private static String[] files(int count) {
    String[] names = new String[count];
    Arrays.setAll(names, i -> "day=1/" + i);
    return names;
  }

  /** Commits the job; returns the requests of the check. */
  private static Map<RequestType, Long> checks(
      InMemoryObjectStore store, TestJob job, Optional<Instant> begun) throws IOException {
    store.resetCounts();
    commit(job, begun);
    Map<RequestType, Long> requests = new EnumMap<>(RequestType.class);
    requests.putAll(store.requests());
    requests.keySet().retainAll(Set.of(RequestType.LIST_UPLOADS, RequestType.LIST_PARTS));
    return requests;
  }

  private TestJob job(InMemoryObjectStore store) throws IOException {
    return job(store, "job-1");
  }

  private TestJob job(ObjectStores store, String id) throws IOException {
    return TestJob.withLogIn(logs, store, workDir, id);
  }

  private static void commit(TestJob job, Optional<Instant> begun) throws IOException {
    commit(job, job.outputJob(), begun);
  }

  private static void commit(TestJob job, OutputJob output, Optional<Instant> begun)
      throws IOException {
    job.commit(
        Requests.of(output, Manifests.of(job.chosen()), Overwrite.directoriesOfFiles(), begun));
  }
}
