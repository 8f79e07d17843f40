package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where small files may be written after the decision, and what it costs to know that. */
class DeadlineProbeTest extends OpenCommits {
  private static final Path FILE = new Path(TestJob.TABLE, "day=1/0");

  /** Of a cluster without a file system: its notes are in the bucket. */
  private DeadlineProbe inBucket() {
    return probe(Optional.empty());
  }

  private DeadlineProbe probe(Optional<RecordStore> shared) {
    store.resetCounts();
    return new DeadlineProbe(store, job.log(), shared);
  }

  @Test
  void itAsksOnceADayAndANoteOnTheClusterTellsTheOthers() throws IOException {
    DeadlineProbe first = probe(job.directory().shared());
    assertThat(first.allows(FILE)).isTrue();
    assertThat(first.allows(FILE)).isTrue();
    assertThat(store.requests())
        .as("there is no note, one PUT in time, one that is late, and the note for other clusters")
        .isEqualTo(Map.of(RequestType.GET, 1L, RequestType.PUT, 3L));

    assertThat(probe(job("job-2").directory().shared()).allows(FILE)).isTrue();
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void withoutAClusterFileSystemTheNoteIsInTheBucket() {
    DeadlineProbe first = inBucket();
    assertThat(first.allows(FILE)).isTrue();
    assertThat(first.allows(FILE)).isTrue();
    assertThat(store.requests())
        .as("there is no note, the two, and the note")
        .isEqualTo(Map.of(RequestType.GET, 1L, RequestType.PUT, 3L));

    assertThat(inBucket().allows(FILE)).isTrue();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.GET, 1L));
    assertThat(store.keys())
        .as("where the daily check deletes them")
        .hasSize(2)
        .allMatch(key -> key.startsWith("warehouse/_zerorename/checks/_" + today()));
  }

  private static LocalDate today() {
    return LocalDate.now(ZoneOffset.UTC);
  }

  @Test
  void aNoteOfYesterdayIsNone() {
    inBucket().allows(FILE);
    String note =
        store.keys().stream()
            .filter(key -> key.contains("put-deadlines"))
            .findFirst()
            .orElseThrow();
    store.plant(
        note.replace(today().toString(), today().minusDays(2).toString()), store.content(note));
    store.plant(note, "ignored".getBytes(UTF_8));
    assertThat(inBucket().allows(FILE)).isFalse();
  }

  @Test
  void aStoreThatTakesLateRequestsIsNotTrusted() {
    store = new InMemoryObjectStore("bucket", Variant.aws().withExpiredRequestsAccepted());
    assertThat(inBucket().allows(FILE)).isFalse();
    assertThat(store.requests()).containsEntry(RequestType.PUT, 3L);
    assertThat(inBucket().allows(FILE)).isFalse();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.GET, 1L));
  }

  @Test
  void inAnotherBucketThanTheLogTheyAreUploaded() {
    assertThat(inBucket().allows(new Path("s3a://other/t/0"))).isFalse();
    assertThat(store.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void anErrorIsNoAnswerAndIsNotNoted(int request) {
    store.faults().fail(RequestType.PUT, request, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    DeadlineProbe probe = inBucket();
    assertThat(probe.allows(FILE)).isFalse();
    assertThat(probe.allows(FILE)).as("for this job").isFalse();
    assertThat(store.requests()).containsEntry(RequestType.PUT, (long) request);
    assertThat(inBucket().allows(FILE)).isTrue();
  }

  @Test
  void aRefusalOfAnotherKindIsNoDeadline() {
    store.faults().fail(RequestType.PUT, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(inBucket().allows(FILE)).isFalse();
    assertThat(inBucket().allows(FILE)).as("it is noted").isFalse();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.GET, 1L));
  }

  @Test
  void requestsThatAreSignedInAWayOfTheirOwnHaveNoDeadline() {
    ObjectStore undated =
        (ObjectStore)
            Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("datesSignatures")) {
                    return false;
                  }
                  try {
                    return method.invoke(store, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    assertThat(new DeadlineProbe(path -> undated, job.log(), Optional.empty()).allows(FILE))
        .isFalse();
    assertThat(store.requests()).as("other clients may find out otherwise").isEmpty();
  }
}
