package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.recovery.RecoverEntry;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * For each rule of the protocol the shortest history that goes wrong without it, replayed against
 * the code. {@code python3 src/test/model/commit_log.py traces FILE} makes them.
 */
@Timeout(600)
class ModelTracesTest {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private static List<ModelTrace> traces() throws IOException {
    return ModelTrace.all();
  }

  @Test
  void tracesAreThoseOfTheModel() throws Exception {
    byte[] model = Files.readAllBytes(Path.of("src/test/model/commit_log.py"));
    assertThat(ModelTrace.resource().get("model").asText())
        .as("the model has changed: run its command traces")
        .isEqualTo(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(model)));
    assertThat(traces()).hasSizeGreaterThanOrEqualTo(15);
  }

  @ParameterizedTest
  @MethodSource("traces")
  void theCodeDoesNotGoWrongWhereTheModelDoesWithoutTheRule(ModelTrace trace) throws Exception {
    new Replay(trace).run();
  }

  private static final class Replay {
    private final int run = NUMBER.incrementAndGet();
    private final ModelTrace trace;
    private final SimulatedCluster cluster = new SimulatedCluster("trace-" + run, Variant.aws());

    private HistoryChecks checks;

    Replay(ModelTrace trace) {
      this.trace = trace;
    }

    void run() throws Exception {
      for (int file = 0; file < trace.files().size(); file++) {
        if (trace.files().get(file).startsWith("O")) {
          cluster.plant(ObjectKeys.of(trace.file(file, run)), new byte[] {'o'});
        }
      }
      Map<String, List<org.apache.hadoop.fs.Path>> jobs = new TreeMap<>();
      for (ModelTrace.Role role : trace.roles()) {
        String id = ModelTrace.idOf(role, run);
        if (role.isStatement()) {
          jobs.put(id, List.of());
        } else if (role.isJob() && !jobs.containsKey(id)) {
          SimulatedJob job =
              new SimulatedJob(cluster, cluster.undisturbed(), trace.shape(role, run), id);
          job.prepare();
          jobs.put(id, trace.shape(role, run).writes(id));
        }
      }
      checks = new HistoryChecks(cluster, jobs, trace.has("FOREIGN"));
      TraceTurns turns = new TraceTurns(cluster, checks, trace, file -> trace.file(file, run));
      Interleaving processes = new Interleaving(turns, checks);
      for (int i = 0; i < trace.roles().size(); i++) {
        ModelTrace.Role role = trace.roles().get(i);
        String name = "p" + i;
        processes.add(name, (calls, crashed) -> act(name, role, cluster.new View(calls)));
      }
      processes.run();
      processes.takeLate();
      Recovery recovery = new SimulatedRecovery(cluster.undisturbed()).recovery();
      recovery.run(Duration.ZERO, Manner.BY_OPERATOR);
      recovery.run(Duration.ZERO, Manner.GIVING_UP);
      checks.checkEnd(lost());
      assertThat(checks.failures())
          .as("%s%n%s", trace.moves(), String.join("\n", processes.history()))
          .isEmpty();
      assertThat(turns.made()).as("moves that were made").isGreaterThanOrEqualTo(3);
    }

    private Set<String> lost() throws IOException {
      CommitLog log = cluster.undisturbed().log();
      LogTail tail = log.tailDownTo(1);
      Set<String> lost = new HashSet<>();
      for (long number : tail.numbers()) {
        log.lost(number, tail).forEach(it -> lost.add(ObjectKeys.of(it)));
      }
      return lost;
    }

    private void act(String name, ModelTrace.Role role, SimulatedCluster.View view)
        throws IOException {
      SimulatedRecovery recovery = new SimulatedRecovery(view);
      switch (role.kind()) {
        case "ADD", "REPLACE", "CLEAR" ->
            new SimulatedJob(cluster, view, trace.shape(role, run), ModelTrace.idOf(role, run))
                .commit(true);
        case "HOOK" -> statement(view, role).run();
        case "REC" -> resume(view, recovery, target(name));
        case "GIVEUP" -> {
          Optional<LogEntry> target = view.log().read(target(name));
          if (target.isPresent()) {
            recovery.recovery().giveUp(target.get().job().id());
          }
        }
        case "ABORTER" ->
            new SimulatedJob(cluster, view, trace.shape(role, run), ModelTrace.idOf(role, run))
                .abortAsAnother();
        case "VANISH", "FOREIGN" -> {
          // What they do is done between the moves of the others.
        }
        default -> throw new AssertionError(role);
      }
    }

    private SimulatedStatement statement(SimulatedCluster.View view, ModelTrace.Role role) {
      return new SimulatedStatement(
          view, checks, ModelTrace.idOf(role, run), role.directories(), false);
    }

    /** The entry that a process executes, which is in the name of its first move. */
    private long target(String process) {
      return trace.moves().stream()
          .filter(
              move -> move.matches(process + " (lists the log, executes|notes that) entry \\d+.*"))
          .findFirst()
          .map(move -> Long.parseLong(move.replaceFirst(".* entry (\\d+).*", "$1")))
          .orElse(1L);
    }

    private void resume(SimulatedCluster.View view, SimulatedRecovery engine, long number)
        throws IOException {
      CommitLog log = view.log();
      LogTail tail = log.tailDownTo(number);
      Optional<LogEntry> target = log.read(number);
      if (target.isPresent() && !tail.isEnded(number)) {
        new RecoverEntry(
                view.stores,
                log,
                Waits.in((time, why) -> view.passTime(time), SimulatedCluster.SETTINGS),
                engine)
            .run(target.get(), tail, RecoverEntry.Manner.BY_OPERATOR);
      }
    }
  }
}
