package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanWriterTest {
  private static final Path TABLE = new Path("s3a://bucket/t");
  private static final OutputJob JOB =
      new OutputJob("job", "INSERT", TABLE, List.of(TABLE), false, Optional.empty(), Map.of());

  @ParameterizedTest
  @CsvSource({
    "0, 0 last",
    "4999, 4999 last",
    "5000, '5000, 0 last'",
    "5001, '5000, 1 last'",
    "10000, '5000, 5000, 0 last'",
    "10001, '5000, 5000, 1 last'"
  })
  void aFullChunkIsWrittenAndTheRestIsTheLast(int entries, String documents) throws IOException {
    SortedMap<Integer, String> written = new ConcurrentSkipListMap<>();
    PlanWriter writer =
        new PlanWriter(
            JOB,
            (proposal, number, last, part) -> {
              written.put(number, part.markers().size() + (last ? " last" : ""));
              return Plans.unwritten(proposal, number);
            });
    keep(writer, entries);

    writer.finish();

    assertThat(String.join(", ", written.values())).isEqualTo(documents);
    assertThat(written.keySet())
        .containsExactlyElementsOf(IntStream.range(0, written.size()).boxed().toList());
    assertThat(writer.written()).hasSameSizeAs(written.values());
  }

  private static void keep(PlanWriter writer, int entries) throws IOException {
    for (int i = 0; i < entries; i++) {
      writer.keep(new Path(TABLE, "p=" + i));
    }
  }

  @Test
  void aDocumentThatCannotBeWrittenFailsTheProposalAndTheOthersAreKnown() throws IOException {
    for (Throwable failure :
        List.of(new IOException("full"), new IllegalStateException("full"), new Error("full"))) {
      PlanWriter writer =
          new PlanWriter(
              JOB,
              (proposal, number, last, part) -> {
                if (number == 1) {
                  throwUnchecked(failure);
                }
                return Plans.unwritten(proposal, number);
              });
      assertThatThrownBy(
              () -> {
                keep(writer, 3 * PlanWriter.ENTRIES_PER_CHUNK);
                writer.finish();
              })
          .isEqualTo(failure);
      assertThat(writer.written()).hasSize(1);
    }
  }

  /** The other chunks would be taken for the whole plan, and old files be deleted without new. */
  @Test
  void aPlanWithoutOneOfItsChunksIsNotFinished() throws IOException {
    PlanWriter writer =
        new PlanWriter(
            JOB,
            (proposal, number, last, part) -> {
              if (number == 0) {
                throw new IOException("full");
              }
              return last ? Optional.empty() : Plans.unwritten(proposal, number);
            });
    assertThatThrownBy(() -> keep(writer, PlanWriter.ENTRIES_PER_CHUNK)).hasMessage("full");
    keep(writer, PlanWriter.ENTRIES_PER_CHUNK + 1);

    assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwUnchecked(Throwable failure) throws E {
    throw (E) failure;
  }

  /** Who fills a chunk writes it; the others add to the next one meanwhile. */
  @Test
  void othersAddWhileAChunkIsWritten() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    PlanWriter writer =
        new PlanWriter(
            JOB,
            (proposal, number, last, part) -> {
              if (number == 0) {
                writing.countDown();
                await(go);
              }
              return Plans.unwritten(proposal, number);
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
    assertThat(writer.written()).hasSize(1);
    go.countDown();
    first.get();
    writer.finish();
    assertThat(writer.written()).hasSize(3);
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

  @Test
  void aDocumentMayBeCountedBeforeAnEarlierOne() {
    PlanTotals totals = new PlanTotals();
    totals.add(2, Plans.part(JOB, List.of(), List.of(), List.of(TABLE)));
    totals.add(1, Plans.part(JOB, List.of(), List.of(), List.of()));
    totals.add(0, Plans.part(JOB, List.of(), List.of(), List.of(TABLE)));
    assertThat(totals.chunksWith(PlanChunk.Kind.MARKERS)).containsExactly(0, 2);
  }
}
