package io.zerorename.spark.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.Test;

class ConditionalWritesTest {
  private static final Path DIRECTORY = new Path("s3a://bucket/checkpoint");

  /** Stands for a bucket; nothing is asked of it. */
  private final RawLocalFileSystem fileSystem = new RawLocalFileSystem();

  @Test
  void aStoreThatOverwritesInSpiteOfTheConditionIsRefusedEachTime() throws IOException {
    InMemoryObjectStore store =
        new InMemoryObjectStore("bucket", Variant.aws().withConditionsIgnored());
    for (int query = 0; query < 2; query++) {
      assertThatThrownBy(() -> ConditionalWrites.require(fileSystem, store, DIRECTORY))
          .hasMessage(
              "ZR-7117: Cannot keep a checkpoint in s3a://bucket/checkpoint: its store overwrites"
                  + " objects in spite of If-None-Match, so that two queries could write the same"
                  + " batch. Use a store with conditional writes, or unset"
                  + " spark.sql.streaming.checkpointFileManagerClass.");
    }
    assertThat(store.listObjects("").hasNext()).as("the object of the check").isFalse();
  }

  @Test
  void aStoreThatKeepsTheConditionIsTaken() throws IOException {
    InMemoryObjectStore store = new InMemoryObjectStore("bucket", Variant.aws());
    assertThatCode(() -> ConditionalWrites.require(fileSystem, store, DIRECTORY))
        .doesNotThrowAnyException();
    assertThat(store.listObjects("").hasNext()).isFalse();
  }
}
