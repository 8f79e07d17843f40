package io.zerorename.testing;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Nested;

class InMemoryObjectStoreTest {

  /** The contract on one variant. */
  abstract static class OfVariant extends ObjectStoreContract {
    private final ObjectStore store;
    private final Set<StoreDifference> differences = new HashSet<>();

    OfVariant(Variant variant) {
      store = new InMemoryObjectStore("bucket", variant);
      differences.addAll(variant.differences());
      if (variant.minPartSize() == 1) {
        differences.add(StoreDifference.TAKES_SMALL_PARTS);
      }
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
              .withMinPartSize(1));
    }
  }
}
