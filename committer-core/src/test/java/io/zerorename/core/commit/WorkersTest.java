package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkersTest {
  private static final List<Integer> ITEMS = IntStream.range(0, 1000).boxed().toList();

  @Test
  void everyItemIsActedOnOnceByNoMoreThreadsThanAllowed() throws IOException {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Queue<Integer> done = new ConcurrentLinkedQueue<>();
    try (Workers workers = new Workers(4)) {
      workers.forEach(
          ITEMS,
          item -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            done.add(item);
            running.decrementAndGet();
          });
    }
    assertThat(done).containsExactlyInAnyOrderElementsOf(ITEMS);
    assertThat(most.get()).isLessThanOrEqualTo(4);
  }

  @Test
  void noFurtherItemIsBegunAfterAFailure() {
    Queue<Integer> begun = new ConcurrentLinkedQueue<>();
    try (Workers workers = new Workers(1)) {
      assertThatThrownBy(
              () ->
                  workers.forEach(
                      ITEMS,
                      item -> {
                        begun.add(item);
                        if (item == 3) {
                          throw new IOException("item 3");
                        }
                      }))
          .isInstanceOf(IOException.class)
          .hasMessage("item 3");
    }
    assertThat(begun).containsExactly(0, 1, 2, 3);
  }

  @Test
  void aBugInAnActionIsAFailureToo() {
    try (Workers workers = new Workers(2)) {
      assertThatThrownBy(
              () ->
                  workers.forEach(
                      ITEMS,
                      item -> {
                        throw new IllegalStateException("a bug");
                      }))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("a bug");
    }
  }

  @Test
  void anInterruptEndsTheWorkAfterWhatIsUnderWayAndIsKept() {
    AtomicInteger ended = new AtomicInteger();
    Thread caller = Thread.currentThread();
    try (Workers workers = new Workers(1)) {
      assertThatThrownBy(
              () ->
                  workers.forEach(
                      ITEMS,
                      item -> {
                        caller.interrupt();
                        // Until the caller, which waits for this item, has noticed.
                        while (caller.isInterrupted()) {
                          Thread.onSpinWait();
                        }
                        ended.incrementAndGet();
                      }))
          .isInstanceOf(InterruptedIOException.class);
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(ended.get()).isBetween(1, 2);
  }
}
