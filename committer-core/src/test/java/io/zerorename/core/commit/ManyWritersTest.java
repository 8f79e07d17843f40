package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.EntryDraft;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What it costs many writers of one destination that their entries are in one order. */
class ManyWritersTest extends OpenCommits {
  private static final int WRITERS = 64;
  private static final Duration REQUEST = Duration.ofMillis(30);
  private static final Duration EVERY = Duration.ofSeconds(10);
  private static final int COMMITS = 6;

  @BeforeEach
  void anEarlierJobOfTheDay() throws IOException {
    job.smallTask("a", "day=0/0").insert();
  }

  private TestJob job(String id, Calls calls) throws IOException {
    return new TestJob(
        new SimulatedStore(store, new InMemoryObjectStore("other"), calls),
        FileSystem.getLocal(new Configuration(false)),
        workDir,
        id);
  }

  private static <T> List<T> allAtOnce(List<Callable<T>> tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> result : threads.invokeAll(tasks)) {
        results.add(result.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void eachNumberThatOneOfThemLosesCostsOneGetAndOnePut() throws Exception {
    LogTail tail = job.log().tail();
    List<Callable<Long>> deciders = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      TestJob writer = job("writer-" + i).task("a", "day=1/" + i);
      EntryDraft draft = writer.draft(Overwrite.none(), tail);
      deciders.add(() -> writer.log().decide(draft, tail).number());
    }
    store.resetCounts();

    List<Long> numbers = allAtOnce(deciders);

    assertThat(numbers)
        .containsExactlyInAnyOrderElementsOf(
            LongStream.rangeClosed(2, WRITERS + 1).boxed().toList());
    // Who gets the n-th of them has lost n - 1.
    long lost = WRITERS * (WRITERS - 1L) / 2;
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.PUT, WRITERS + lost, RequestType.GET, lost));
  }

  /** In step: a request of one waits for one of every other that is still at work. */
  private static final class InStep implements Calls {
    private final Phaser steps;
    private final Consumer<Integer> decided;

    InStep(Phaser steps, Consumer<Integer> decided) {
      this.steps = steps;
      this.decided = decided;
    }

    @Override
    public <T> T make(Call call, Effect<T> effect) throws IOException {
      int step = call.store() ? steps.arriveAndAwaitAdvance() : 0;
      T result = effect.take();
      if (Rounds.name(call.what()).equals("put log")) {
        decided.accept(step);
      }
      return result;
    }
  }

  @Test
  void ofThoseThatBeginAtOneInstantEveryOtherRoundDecidesOne() throws Exception {
    Phaser steps = new Phaser(WRITERS);
    List<Integer> decided = Collections.synchronizedList(new ArrayList<>());
    List<Callable<CommitReport>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      TestJob writer =
          job("writer-" + i, new InStep(steps, decided::add)).smallTask("a", "day=1/" + i);
      writers.add(
          () -> {
            try {
              return writer.insert();
            } finally {
              steps.arriveAndDeregister();
            }
          });
    }

    allAtOnce(writers);

    // After a LIST, a Create and an UploadPart.
    assertThat(decided)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, WRITERS).mapToObj(i -> 4 + 2 * i).toList());
    assertThat(data()).hasSize(1 + WRITERS);
  }

  /** How long a process took to decide each of its jobs. */
  private List<Duration> timesToDecide(int writers, boolean overwrite) throws Exception {
    List<Duration> times = new ArrayList<>();
    VirtualTime time = new VirtualTime(REQUEST, store::pass);
    Random random = new Random(writers);
    for (int i = 0; i < writers; i++) {
      String name = writers + "-writers-" + i;
      List<Duration> begins =
          IntStream.range(0, COMMITS)
              .mapToObj(
                  n -> EVERY.multipliedBy(n).plusMillis(random.nextInt((int) EVERY.toMillis())))
              .toList();
      time.add(
          process -> {
            for (int n = 0; n < COMMITS; n++) {
              process.sleepUntil(begins.get(n));
              Duration begun = process.now();
              commit(
                  job(
                          name + "-" + n,
                          telling(
                              process,
                              call -> {
                                if (Rounds.name(call.what()).equals("put log")) {
                                  times.add(process.now().minus(begun));
                                }
                              }))
                      .smallTask("a", "day=" + name + "/" + n),
                  overwrite);
            }
          });
    }
    time.run();
    assertThat(times).hasSize(writers * COMMITS);
    return times;
  }

  private static void commit(TestJob job, boolean overwrite) throws IOException {
    if (overwrite) {
      job.overwrite();
    } else {
      job.insert();
    }
  }

  /** Tells of each request that was answered. */
  private static Calls telling(Calls calls, Consumer<Calls.Call> answered) {
    return new Calls() {
      @Override
      public <T> T make(Call call, Effect<T> effect) throws IOException {
        T result = calls.make(call, effect);
        answered.accept(call);
        return result;
      }
    };
  }

  private static Duration quantile(double part, List<Duration> times) {
    return times.stream().sorted().toList().get((int) (part * (times.size() - 1)));
  }

  @Tag("thorough")
  @Test
  void soDoHalfOfTheOverwrites() throws Exception {
    withACommitEachTenSecondsHalfOfThemDecideInTwiceTheTimeOfOneAlone(true);
  }

  @ParameterizedTest
  @ValueSource(booleans = false)
  void withACommitEachTenSecondsHalfOfThemDecideInTwiceTheTimeOfOneAlone(boolean overwrite)
      throws Exception {
    Duration alone = quantile(0.5, timesToDecide(1, overwrite));
    assertThat(alone).isEqualTo(REQUEST.multipliedBy(overwrite ? 5 : 4));

    List<Duration> times = timesToDecide(WRITERS, overwrite);

    assertThat(quantile(0.5, times)).isLessThanOrEqualTo(alone.multipliedBy(2));
  }
}
