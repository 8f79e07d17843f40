package io.zerorename.core.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class WorkersTest {
  private static final List<Integer> ITEMS = IntStream.range(0, 1000).boxed().toList();

  @ParameterizedTest
  @CsvSource({"1, false", "3, false", "64, false", "65, false", "3, true", "64, true", "65, true"})
  void thereAreAsManyThreadsAsItemsUntilThereAreAsManyAsAllowed(int items, boolean counted)
      throws Exception {
    Set<Thread> others = threads();
    AtomicInteger most = new AtomicInteger();
    Set<Thread> acting = ConcurrentHashMap.newKeySet();
    CountDownLatch together = new CountDownLatch(Math.min(items, 64));
    Workers workers = new Workers(64, 512);
    // Not a collection, of which the size is known.
    RemoteIterator<Integer> source =
        RemoteIterators.remoteIteratorFromIterator(ITEMS.subList(0, items).iterator());
    ConsumerRaisingIOE<Integer> action =
        item -> {
          acting.add(Thread.currentThread());
          together.countDown();
          await(together);
          Set<Thread> all = threads();
          all.removeAll(others);
          most.accumulateAndGet(all.size(), Math::max);
        };
    if (counted) {
      workers.forEach(source, items, action);
    } else {
      workers.forEach(source, action);
    }
    assertThat(acting).as("at work at once").hasSize(Math.min(items, 64));
    assertThat(most.get()).as("begun").isEqualTo(Math.min(items, 64));
    join(acting);
  }

  @Test
  void eachOfManyRunsInARowHasAllThreads() throws IOException {
    Workers workers = new Workers(4, 512);
    for (int run = 0; run < 2_000; run++) {
      CountDownLatch together = new CountDownLatch(4);
      workers.forEach(
          List.of(0, 1, 2, 3),
          item -> {
            together.countDown();
            await(together);
          });
    }
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("zerorename-commit-"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void whereOthersHaveAllThreadsThatItIsToldOfOneActsOnAllItems() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Set<Thread> others = ConcurrentHashMap.newKeySet();
    Workers many = new Workers(4, 1_000);
    Workers workers = new Workers(8, 3);
    FutureTask<Void> running = blocked(many, 4, others, go);
    Queue<Thread> acting = new ConcurrentLinkedQueue<>();
    workers.forEach(ITEMS, item -> acting.add(Thread.currentThread()));
    assertThat(acting).hasSameSizeAs(ITEMS);
    assertThat(Set.copyOf(acting)).hasSize(1);
    go.countDown();
    running.get();
    assertThat(others).as("with one that is not shared").hasSize(4);
  }

  @Test
  void aThreadBeginsInTheMidstOfTheWorkWhereOthersHaveEnded() throws Exception {
    AtomicInteger share = new AtomicInteger();
    CountDownLatch go = new CountDownLatch(1);
    Set<Thread> others = ConcurrentHashMap.newKeySet();
    CountDownLatch together = new CountDownLatch(2);
    Set<Thread> acting = ConcurrentHashMap.newKeySet();
    Workers many = new Workers(2, 1, share, Thread::new);
    Workers workers = new Workers(2, 1, share, Thread::new);
    FutureTask<Void> running = blocked(many, 2, others, go);
    workers.forEach(
        List.of(0, 1, 2),
        item -> {
          acting.add(Thread.currentThread());
          if (item == 0) {
            assertThat(share).hasValue(1);
            go.countDown();
            join(others);
          } else {
            together.countDown();
            await(together);
          }
        });
    running.get();
    assertThat(acting).hasSize(2);
  }

  /** Acts on more items than there are threads, until it may go on. */
  private static FutureTask<Void> blocked(
      Workers workers, int threads, Set<Thread> acting, CountDownLatch go) throws Exception {
    CountDownLatch begun = new CountDownLatch(threads);
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              workers.forEach(
                  ITEMS,
                  item -> {
                    acting.add(Thread.currentThread());
                    begun.countDown();
                    await(go);
                  });
              return null;
            });
    new Thread(task).start();
    begun.await();
    return task;
  }

  private static void join(Collection<Thread> threads) throws IOException {
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  @Test
  void norByTheOtherThreadsWhoseFailuresAreToldWithTheFirst() {
    Map<Integer, Thread> begun = new ConcurrentHashMap<>();
    CountDownLatch together = new CountDownLatch(3);
    assertThatThrownBy(
            () ->
                new Workers(3, 512)
                    .forEach(
                        ITEMS,
                        item -> {
                          begun.put(item, Thread.currentThread());
                          if (item > 2) {
                            return;
                          }
                          together.countDown();
                          await(together);
                          join(
                              begun.entrySet().stream()
                                  .filter(it -> it.getKey() < item)
                                  .map(Map.Entry::getValue)
                                  .toList());
                          if (item < 2) {
                            throw new IOException("item " + item);
                          }
                        }))
        .hasMessage("item 0")
        .extracting(it -> it.getSuppressed()[0].getMessage())
        .isEqualTo("item 1");
    assertThat(begun).containsOnlyKeys(0, 1, 2);
  }

  /** As where the user has as many processes and threads as the system allows. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void whereNoFurtherThreadCanBeStartedThoseThatWorkActOnAllItems(int threads) throws IOException {
    AtomicInteger left = new AtomicInteger(threads);
    ThreadFactory few = task -> thread(task, left.getAndDecrement() > 0);
    Set<Thread> acting = ConcurrentHashMap.newKeySet();
    AtomicInteger acted = new AtomicInteger();
    CountDownLatch together = new CountDownLatch(Math.max(1, threads));
    Workers workers = new Workers(8, 8, new AtomicInteger(), few);
    for (int run = 0; run < 2; run++) {
      workers.forEach(
          ITEMS,
          item -> {
            acting.add(Thread.currentThread());
            acted.incrementAndGet();
            together.countDown();
            await(together);
          });
    }
    assertThat(acted).hasValue(2 * ITEMS.size());
    assertThat(acting).hasSize(threads + 1).contains(Thread.currentThread());
  }

  @Test
  void workThatMustNotBeInterruptedIsDoneByTheCallerWhereNoThreadCanBeStarted() throws IOException {
    Thread.currentThread().interrupt();
    Thread worked =
        Uninterrupted.call(
            () -> Thread.interrupted() ? null : Thread.currentThread(),
            Duration.ZERO,
            () -> {},
            task -> thread(task, false));
    assertThat(worked).isSameAs(Thread.currentThread());
    assertThat(Thread.interrupted()).as("is set again").isTrue();
  }

  private static Thread thread(Runnable task, boolean starts) {
    return new Thread(task) {
      @Override
      public synchronized void start() {
        if (!starts) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        super.start();
      }
    };
  }

  /** As where the heap is full: then nothing can be said of the first failure. */
  @Test
  void aFailureOfWhichNothingCanBeSaidIsAFailureToo() {
    Error failure =
        new Error() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new OutOfMemoryError("planned");
          }
        };
    assertThatThrownBy(
            () ->
                new Workers(2, 512)
                    .forEach(
                        List.of(1, 2, 3),
                        item -> {
                          if (item == 2) {
                            throw failure;
                          }
                        }))
        .hasMessage("planned");
  }

  @Test
  void anInterruptEndsTheWorkAfterWhatIsUnderWayAndIsKept() {
    AtomicInteger ended = new AtomicInteger();
    Thread caller = Thread.currentThread();
    Workers workers = new Workers(1, 512);
    assertThatThrownBy(
            () ->
                workers.forEach(
                    ITEMS,
                    item -> {
                      caller.interrupt();
                      awaitNoticed(caller);
                      ended.incrementAndGet();
                    }))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(ended.get()).isEqualTo(1);
  }

  /**
   * Until the thread, which waits for this item, waits again after an interrupt. That its flag is
   * cleared does not show this: Java clears it while it loads a class, and then sets it again.
   */
  private static void awaitNoticed(Thread caller) {
    while (caller.isInterrupted() || caller.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }
}
