package io.zerorename.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class InMemoryObjectStoreTest {

  /** The contract on one variant. */
  abstract static class OfVariant extends ObjectStoreContract {
    private final ObjectStore store;
    private final Set<StoreDifference> differences;

    OfVariant(Variant variant, StoreDifference... differences) {
      this.store = new InMemoryObjectStore("bucket", variant);
      this.differences = Set.of(differences);
    }

    @Override
    protected ObjectStore store() {
      return store;
    }

    @Override
    protected Set<StoreDifference> differences() {
      return differences;
    }
  }

  @Nested
  class LikeAws extends OfVariant {
    LikeAws() {
      super(Variant.aws());
    }
  }

  @Nested
  class SecondCompleteRefused extends OfVariant {
    SecondCompleteRefused() {
      super(Variant.aws().withSecondCompleteRefused());
    }
  }

  @Nested
  class UploadsListedByExactKey extends OfVariant {
    UploadsListedByExactKey() {
      super(
          Variant.aws().withUploadsListedByExactKey(), StoreDifference.LISTS_UPLOADS_BY_EXACT_KEY);
    }
  }

  @Nested
  class PartsAcceptedAfterAbort extends OfVariant {
    PartsAcceptedAfterAbort() {
      super(Variant.aws().withPartsAcceptedAfterAbort(), StoreDifference.TAKES_PARTS_AFTER_ABORT);
    }
  }

  @Nested
  class ConditionsIgnored extends OfVariant {
    ConditionsIgnored() {
      super(Variant.aws().withConditionsIgnored(), StoreDifference.IGNORES_CONDITIONS);
    }
  }

  @Nested
  class EveryDifferenceAtOnce extends OfVariant {
    EveryDifferenceAtOnce() {
      super(
          Variant.aws()
              .withSecondCompleteRefused()
              .withUploadsListedByExactKey()
              .withPartsAcceptedAfterAbort()
              .withConditionsIgnored()
              .withMinPartSize(1),
          StoreDifference.LISTS_UPLOADS_BY_EXACT_KEY,
          StoreDifference.TAKES_PARTS_AFTER_ABORT,
          StoreDifference.IGNORES_CONDITIONS,
          StoreDifference.TAKES_SMALL_PARTS);
    }
  }

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");

  @Test
  void aFaultBeforeTheEffectChangesNothingAndStrikesOnce() throws IOException {
    store.faults().fail(RequestType.PUT, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    put("a");
    assertThatThrownBy(() -> put("b"))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.ACCESS_DENIED));
    put("c");
    assertThat(store.keys()).containsExactly("a", "c");
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.PUT, 3L));
  }

  @Test
  void aFaultAfterTheEffectHidesASuccess() throws IOException {
    String uploadId = store.createUpload("k", Map.of());
    UploadedPart part = store.uploadPart("k", uploadId, 1, RepeatableBody.of(new byte[1]));
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> store.completeUpload("k", uploadId, List.of(part)))
        .isInstanceOf(StoreException.class);
    assertThat(store.keys()).containsExactly("k");
  }

  @Test
  void anOutageLastsUntilItIsCleared() throws IOException {
    store.faults().failAnyFrom(1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> put("a")).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> store.headObject("a")).isInstanceOf(StoreException.class);
    store.faults().clear();
    put("a");
    assertThat(store.keys()).containsExactly("a");
    assertThat(store.faults().struck()).isEqualTo(2);
  }

  @Test
  void aSecondCompleteSucceedsOnAwsAndFindsNoUploadWhereItIsRefused() throws IOException {
    InMemoryObjectStore refusing =
        new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    for (InMemoryObjectStore either : List.of(store, refusing)) {
      String uploadId = either.createUpload("k", Map.of());
      List<UploadedPart> parts =
          List.of(either.uploadPart("k", uploadId, 1, RepeatableBody.of(new byte[1])));
      String etag = either.completeUpload("k", uploadId, parts);
      if (either == refusing) {
        assertThatThrownBy(() -> either.completeUpload("k", uploadId, parts))
            .isInstanceOfSatisfying(
                StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NO_SUCH_UPLOAD));
      } else {
        assertThat(either.completeUpload("k", uploadId, parts)).isEqualTo(etag);
      }
    }
  }

  @Test
  void partsAreCountedByThousand() throws IOException {
    String uploadId = store.createUpload("k", Map.of());
    for (int number = 1; number <= ObjectStore.PAGE_SIZE; number++) {
      store.uploadPart("k", uploadId, number, RepeatableBody.of(new byte[1]));
    }
    store.resetCounts();
    assertThat(store.listParts("k", uploadId)).hasSize(1000);
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST_PARTS, 1L));
    store.uploadPart("k", uploadId, 10_000, RepeatableBody.of(new byte[1]));
    store.resetCounts();
    assertThat(store.listParts("k", uploadId)).hasSize(1001);
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST_PARTS, 2L));
  }

  @Test
  void pathsOfOtherBucketsAreRefused() {
    assertThatThrownBy(() -> store.forPath(new Path("s3a://other/x")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("bucket");
  }

  private void put(String key) throws IOException {
    store.putObject(key, RepeatableBody.of(key.getBytes(UTF_8)), Map.of());
  }
}
