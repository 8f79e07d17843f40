package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Lets every call of a job go wrong in every way, one after the other: each request to the store
 * and each call of the cluster file system, from the job's setup to the note of its end. Whatever
 * happens, the table has all of the job or nothing of it once a recovery has run.
 */
class FaultSweepTest {
  private static final Variant AWS = Variant.aws();
  private static final Variant EXACT_KEY =
      AWS.withUploadsListedByExactKey().withSecondCompleteRefused();
  private static final Map<String, LongAdder> RUNS = new ConcurrentHashMap<>();
  private static final Queue<String> FAILURES = new ConcurrentLinkedQueue<>();
  private static final AtomicInteger CRASH_POINTS = new AtomicInteger();
  private static final int TOLD = 25;

  private static FaultSetting on(JobKind job, String store, Variant variant) {
    return new FaultSetting(job, store, variant, false, false);
  }

  @Test
  void aSingleFaultOnAws() {
    sweep(List.of(JobKind.values()).stream().map(job -> on(job, "AWS", AWS)).toList());
  }

  @Test
  void aSingleFaultAndTheClusterIsGoneWithItsRecords() {
    sweep(
        List.of(JobKind.values()).stream()
            .filter(job -> job.style() != JobShape.Style.MR_S3)
            .flatMap(
                job ->
                    Stream.of(
                        new FaultSetting(job, "AWS", AWS, false, true),
                        new FaultSetting(job, "exact key", EXACT_KEY, false, true)))
            .toList());
  }

  @Test
  void aSingleFaultOnAStoreThatListsUploadsByTheirExactKeyAndForgetsCompletedOnes() {
    sweepAll("uploads listed by exact key", EXACT_KEY, false);
  }

  @Test
  void aSingleFaultOnAStoreThatDoesNotFenceAborts() {
    sweepAll("aborts not fenced", AWS.withPartsAcceptedAfterAbort(), false);
  }

  @Test
  void aSingleFaultOnAStoreWithoutConditionsWhoseLogIsOnTheClusterFileSystem() {
    sweepAll("conditions ignored", AWS.withConditionsIgnored(), true);
  }

  private static void sweepAll(String store, Variant variant, boolean logOnFileSystem) {
    sweep(
        List.of(JobKind.values()).stream()
            .filter(job -> !logOnFileSystem || job.style() != JobShape.Style.MR_S3)
            .map(job -> new FaultSetting(job, store, variant, logOnFileSystem, false))
            .toList());
  }

  @Test
  void pairsOfFaultsInASmallJobAndItsRecovery() {
    FaultSetting setting = on(JobKind.SMALL, "AWS", AWS);
    List<List<Fault>> pairs = new ArrayList<>();
    int steps = new FaultRun(setting, List.of()).run();
    for (Kind first : EnumSet.of(Kind.LOST_AFTER, Kind.CRASH_AFTER)) {
      for (Kind second : EnumSet.of(Kind.LOST_AFTER, Kind.CRASH_BEFORE)) {
        for (int i = 1; i <= steps; i++) {
          for (int j = i + 1; j <= steps + 10; j++) {
            pairs.add(List.of(new Fault(i, first), new Fault(j, second)));
          }
        }
      }
    }
    pairs.parallelStream().forEach(pair -> run("pairs: " + setting, setting, pair));
    assertNoFailures();
  }

  private static void sweep(List<FaultSetting> settings) {
    settings.parallelStream().forEach(FaultSweepTest::sweep);
    assertNoFailures();
  }

  private static void sweep(FaultSetting setting) {
    int steps = run(setting.toString(), setting, List.of());
    Set<Kind> kinds = EnumSet.allOf(Kind.class);
    if (!setting.job().inlines()) {
      // Whatever else comes late finds its upload gone, or another name.
      kinds.removeIf(kind -> kind.isLate() && kind.overwrites());
    }
    if (setting.clusterGone()) {
      kinds.removeIf(kind -> !kind.crashes());
    }
    for (int step = 1; step <= steps; step++) {
      for (Kind kind : kinds) {
        run(setting.toString(), setting, List.of(new Fault(step, kind)));
      }
    }
  }

  /** Returns the number of steps; 0 after a failure. */
  private static int run(String scenario, FaultSetting setting, List<Fault> faults) {
    FaultRun run = new FaultRun(setting, faults);
    RUNS.computeIfAbsent(scenario, it -> new LongAdder()).increment();
    faults.stream()
        .filter(fault -> fault.kind().crashes())
        .forEach(it -> CRASH_POINTS.incrementAndGet());
    try {
      return run.run();
    } catch (AssertionError e) {
      FAILURES.add(e.getMessage());
      return 0;
    }
  }

  private static void assertNoFailures() {
    List<String> failures = List.copyOf(FAILURES);
    assertThat(failures.subList(0, Math.min(TOLD, failures.size())))
        .as(failures.size() + " failing runs")
        .isEmpty();
  }

  /** The figures of this build, for whoever wants to compare. */
  @AfterAll
  static void writeFigures() throws IOException {
    StringBuilder json = new StringBuilder();
    json.append("{\n  \"runs\": ").append(RUNS.values().stream().mapToLong(LongAdder::sum).sum());
    json.append(",\n  \"crashPoints\": ").append(CRASH_POINTS.get());
    json.append(",\n  \"failures\": ").append(FAILURES.size());
    json.append(",\n  \"byScenario\": {");
    String separator = "\n";
    for (Map.Entry<String, LongAdder> scenario : new TreeMap<>(RUNS).entrySet()) {
      json.append(separator)
          .append("    \"")
          .append(scenario.getKey())
          .append("\": ")
          .append(scenario.getValue().sum());
      separator = ",\n";
    }
    json.append("\n  }\n}\n");
    Path target = Path.of("target");
    Files.createDirectories(target);
    Files.writeString(target.resolve("fault-sweep.json"), json);
  }
}
