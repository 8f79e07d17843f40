package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.recordstore.RecordStore;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class PlanWriterTest {
  private static final Path TABLE = new Path("s3a://bucket/t");
  private static final OutputJob JOB = new OutputJob("job", "INSERT", List.of(TABLE));

  /** Is only written to. */
  private static class Records implements RecordStore {
    void write(String name) throws IOException {
      assertThat(name).isNotEmpty();
    }

    @Override
    public boolean putIfAbsent(String name, byte[] document) throws IOException {
      write(name);
      return true;
    }

    @Override
    public Optional<byte[]> get(String name) {
      throw new AssertionError(name);
    }

    @Override
    public List<String> namesIn(String directory) {
      throw new AssertionError(directory);
    }

    @Override
    public void delete(Collection<String> names) {
      throw new AssertionError(names);
    }

    @Override
    public String locate(String name) {
      return name;
    }
  }

  private static void keep(PlanWriter writer, int entries) throws IOException {
    for (int i = 0; i < entries; i++) {
      writer.keep(new Path(TABLE, "p=" + i));
    }
  }

  /** The other chunks would be taken for the whole plan, and old files be deleted without new. */
  @Test
  void aPlanWithoutOneOfItsChunksIsNotFinished() throws IOException {
    AtomicBoolean first = new AtomicBoolean(true);
    PlanWriter writer =
        new PlanWriter(
            new Records() {
              @Override
              void write(String name) throws IOException {
                if (first.getAndSet(false)) {
                  throw new IOException("full");
                }
              }
            },
            JOB);
    assertThatThrownBy(() -> keep(writer, PlanWriter.ENTRIES_PER_CHUNK)).hasMessage("full");
    keep(writer, PlanWriter.ENTRIES_PER_CHUNK + 1);

    assertThatThrownBy(writer::writeRest).isInstanceOf(IllegalStateException.class);
  }

  /** Who fills a chunk writes it; the others add to the next one meanwhile. */
  @Test
  void othersAddWhileAChunkIsWritten() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    PlanWriter writer =
        new PlanWriter(
            new Records() {
              @Override
              void write(String name) {
                if (isFirst.getAndSet(false)) {
                  writing.countDown();
                  await(go);
                }
              }
            },
            JOB);
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
    assertThat(writer.written()).hasSize(1);
    go.countDown();
    first.get();
    writer.writeRest();
    assertThat(writer.written()).hasSize(2);
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
