package io.zerorename.spark.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

final class ConditionalWritesTest {
  private static final Path DIRECTORY = new Path("s3a://bucket/checkpoint");

  private final Configuration conf = new Configuration(false);

  /** Checks are made once for a bucket. */
  private static InMemoryObjectStore store(Variant variant) {
    return new InMemoryObjectStore("bucket-" + UUID.randomUUID(), variant);
  }

  private static String refused(String kind) {
    return "ZR-7117: Cannot keep a checkpoint in s3a://bucket/checkpoint: its store overwrites"
        + " objects in spite of If-None-Match ("
        + kind
        + "), so that two queries could write the same batch. Use a store with conditional"
        + " writes, or Spark's own manager of checkpoints and s3a:// for those of RDDs.";
  }

  @Test
  void aStoreThatOverwritesInSpiteOfTheConditionIsRefusedEachTime() throws IOException {
    InMemoryObjectStore store = store(Variant.aws().withConditionsIgnored());
    ConditionalWrites writes = new ConditionalWrites(store, conf);
    for (int query = 0; query < 2; query++) {
      assertThatThrownBy(() -> writes.requireOfPuts(DIRECTORY)).hasMessage(refused("PUT"));
      assertThatThrownBy(() -> writes.requireOfCompletes(DIRECTORY))
          .hasMessage(refused("Complete"));
    }
    assertLeavesNothing(store);
  }

  @Test
  void aStoreThatOverwritesByCompletesAloneIsRefusedForFilesOfSeveralParts() throws IOException {
    InMemoryObjectStore store = store(Variant.aws());
    ConditionalWrites writes = new ConditionalWrites(new IgnoringOfCompletes(store), conf);
    writes.requireOfPuts(DIRECTORY);
    assertThatThrownBy(() -> writes.requireOfCompletes(DIRECTORY)).hasMessage(refused("Complete"));
    assertLeavesNothing(store);
  }

  private static void assertLeavesNothing(ObjectStore store) throws IOException {
    assertThat(store.listObjects("").hasNext()).as("the object of the check").isFalse();
    assertThat(store.listUploads("").hasNext()).as("an upload").isFalse();
  }

  private static final class IgnoringOfCompletes extends ForwardingStore {
    IgnoringOfCompletes(ObjectStore store) {
      super(store);
    }

    @Override
    public void completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
        throws IOException {
      store.completeUpload(key, uploadId, parts);
    }
  }
}
