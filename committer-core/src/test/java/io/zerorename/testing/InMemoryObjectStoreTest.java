package io.zerorename.testing;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.util.Set;
import org.junit.jupiter.api.Nested;

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
}
