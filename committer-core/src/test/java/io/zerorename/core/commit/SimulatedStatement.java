package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.SETTINGS;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * A statement by which an engine removes files on its own path, in one simulated process: it lists
 * the directories, deletes what it has seen, may write a file of its own, and has its place in the
 * log.
 */
final class SimulatedStatement {
  private static final int ATTEMPTS = 3;

  private final SimulatedCluster.View view;
  private final HistoryChecks checks;
  private final String id;
  private final Set<Path> directories;
  private final boolean writes;

  /**
   * @param writes whether it writes a file of its own into each directory, as an overwrite does
   */
  SimulatedStatement(
      SimulatedCluster.View view,
      HistoryChecks checks,
      String id,
      Set<Path> directories,
      boolean writes) {
    this.view = view;
    this.checks = checks;
    this.id = id;
    this.directories = Set.copyOf(directories);
    this.writes = writes;
  }

  /** A statement of that name that runs again, because this one was interrupted. */
  static String again(String id) {
    return id + "-again";
  }

  void run() throws IOException {
    CommitLog log = view.log();
    EngineStatement replacement =
        new EngineStatement(
            view.stores, log, Waits.in((time, why) -> view.passTime(time), SETTINGS), directories);
    checks.statementBegins(id, directories, replacement.before.highest());
    List<String> seen = new ArrayList<>();
    for (Path directory : directories.stream().sorted().toList()) {
      seen.addAll(repeat(() -> list(directory)));
    }
    if (!seen.isEmpty()) {
      checks.statementRemoves(id, seen);
      repeat(() -> view.bucket.deleteObjects(seen));
    }
    if (writes) {
      for (Path directory : directories.stream().sorted().toList()) {
        String key = ObjectKeys.of(new Path(directory, "engine." + id));
        checks.statementWrites(key);
        AtomicInteger sent = new AtomicInteger();
        repeat(
            () -> {
              if (sent.getAndIncrement() > 0) {
                checks.statementWritesAgain(key);
              }
              return view.bucket.putObject(
                  key, RepeatableBody.of("engine".getBytes(UTF_8)), Map.of());
            });
      }
    }
    Optional<LogEntry> cleared =
        replacement.commit(
            new OutputJob(id, "TRUNCATE by " + id, TABLE, List.of(TABLE), false, Map.of()),
            directories,
            since -> true);
    checks.statementEnds(id, cleared.isPresent());
  }

  private List<String> list(Path directory) throws IOException {
    return RemoteIterators.toList(view.bucket.listObjects(ObjectKeys.prefixOf(directory))).stream()
        .map(ObjectSummary::key)
        .toList();
  }

  /** As the clients of engines do. */
  private static <T> T repeat(Calls.Effect<T> request) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return request.take();
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.AMBIGUOUS || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
