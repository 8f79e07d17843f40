package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class PlanWriterTest {
  private static final Path TABLE = new Path("s3a://bucket/t");
  private static final OutputJob JOB = new OutputJob("job", "INSERT", List.of(TABLE));

  /** Of a log, before whose first record something is done. */
  private static PlanWriter writer(BeforeRequest.Step beforeTheFirst) {
    ObjectStore store =
        BeforeRequest.first(new InMemoryObjectStore("bucket"), "putObjectIfAbsent", beforeTheFirst);
    return new PlanWriter(new ObjectRecords(path -> store, LogFixture.DIRECTORY), JOB);
  }

  private static void keep(PlanWriter writer, int entries) throws IOException {
    for (int i = 0; i < entries; i++) {
      writer.keep(new Path(TABLE, "p=" + i));
    }
  }

  /** The other chunks would be taken for the whole plan, and old files be deleted without new. */
  @Test
  void aPlanWithoutOneOfItsChunksIsNotFinished() throws IOException {
    PlanWriter writer =
        writer(
            () -> {
              throw new IOException("full");
            });
    assertThatThrownBy(() -> keep(writer, PlanWriter.ENTRIES_PER_CHUNK)).hasMessage("full");
    keep(writer, PlanWriter.ENTRIES_PER_CHUNK + 1);

    assertThatThrownBy(writer::writeRest).isInstanceOf(IllegalStateException.class);
  }

  /** Who fills a chunk writes it; the others add to the next one meanwhile. */
  @Test
  void othersAddWhileAChunkIsWritten() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    PlanWriter writer =
        writer(
            () -> {
              writing.countDown();
              await(go);
            });
    FutureTask<Void> first =
        new FutureTask<>(
            () -> {
              keep(writer, PlanWriter.ENTRIES_PER_CHUNK);
              return null;
            });
    new Thread(first).start();
    await(writing);

    keep(writer, PlanWriter.ENTRIES_PER_CHUNK + 1);

    assertThat(first.isDone()).isFalse();
    assertThat(writer.plan().documents()).hasSize(1);
    go.countDown();
    first.get();
    writer.writeRest();
    assertThat(writer.plan().documents()).hasSize(2);
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(1, TimeUnit.MINUTES)) {
        throw new AssertionError("nobody has come");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
