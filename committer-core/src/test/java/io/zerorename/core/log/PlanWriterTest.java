package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.parallel.BackgroundWrites;
import io.zerorename.core.parallel.ProcessShare;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
    "5000, 5000 last",
    "5001, '5000, 1 last'",
    "10000, '5000, 5000 last'",
    "10001, '5000, 5000, 1 last'"
  })
  void theLastDocumentIsEmptyInAnEmptyPlanOnly(int entries, String documents) throws IOException {
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
  void theLastDocumentIsWrittenWhileAnotherIsOnItsWay() throws IOException {
    CountDownLatch last = new CountDownLatch(1);
    PlanWriter writer =
        new PlanWriter(
            JOB,
            (proposal, number, isLast, part) -> {
              if (isLast) {
                last.countDown();
              } else {
                await(last);
              }
              return Plans.unwritten(proposal, number);
            });
    keep(writer, PlanWriter.ENTRIES_PER_CHUNK + 1);
    writer.finish();
    assertThat(writer.written()).hasSize(2);
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
          .isInstanceOf(IOException.class)
          .hasMessageContaining("full");
      assertThat(writer.written()).hasSizeBetween(1, 2);
    }
  }

  @Test
  void whereNoThreadCanBeginWhoeverAddsWrites() throws IOException {
    BackgroundWrites writes =
        new BackgroundWrites(
            1,
            new ProcessShare(1),
            task -> {
              throw new OutOfMemoryError("unable to create native thread");
            });
    AtomicInteger written = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      writes.takeRoom();
      writes.write(1, written::incrementAndGet);
    }
    writes.await();
    writes.throwAny();
    assertThat(written).hasValue(3);
  }

  @Test
  void whereTheProcessWritesTooMuchAtOnceWhoeverAddsWrites() throws Exception {
    ProcessShare memory = new ProcessShare(10);
    CountDownLatch go = new CountDownLatch(1);
    BackgroundWrites others = new BackgroundWrites(1, memory);
    others.takeRoom();
    others.write(6, () -> await(go));
    BackgroundWrites writes = new BackgroundWrites(8, memory);
    Set<Thread> writers = new HashSet<>();
    try {
      for (int i = 0; i < 3; i++) {
        writes.takeRoom();
        writes.write(5, () -> writers.add(Thread.currentThread()));
      }
      assertThat(writers).containsExactly(Thread.currentThread());
    } finally {
      go.countDown();
      others.await();
    }
    writes.takeRoom();
    writes.write(5, () -> writers.add(Thread.currentThread()));
    writes.await();
    assertThat(writers).as("with what the others have given back").hasSize(2);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwUnchecked(Throwable failure) throws E {
    throw (E) failure;
  }

  @Test
  void whoAddsWaitsWhereManyDocumentsAreOnTheirWay() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger underWay = new AtomicInteger();
    PlanWriter writer =
        new PlanWriter(
            JOB,
            (proposal, number, last, part) -> {
              underWay.incrementAndGet();
              await(go);
              return Plans.unwritten(proposal, number);
            });
    AtomicInteger added = new AtomicInteger();
    FutureTask<Void> adding =
        new FutureTask<>(
            () -> {
              for (int i = 0; i < 20 * PlanWriter.ENTRIES_PER_CHUNK; i++) {
                writer.keep(new Path(TABLE, "p=" + i));
                added.incrementAndGet();
              }
              return null;
            });
    Thread adder = new Thread(adding);
    adder.start();
    long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (adder.getState() != Thread.State.WAITING && System.nanoTime() < giveUp) {
      Thread.sleep(1);
    }
    // Room for eight: each was begun by the first entry of the next.
    assertThat(added.get()).isEqualTo(8 * PlanWriter.ENTRIES_PER_CHUNK + 1);
    assertThat(underWay.get()).isLessThanOrEqualTo(8);
    go.countDown();
    adding.get();
    writer.finish();
    assertThat(writer.written()).hasSize(20);
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
