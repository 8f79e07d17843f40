package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.core.commit.CommitLog;
import io.zerorename.core.commit.CommitLogs;
import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.Recovered;
import io.zerorename.core.commit.Recovery;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Brings to their end the commits that were broken off at a table or at a job's destination, and
 * tells of each.
 */
final class RecoverCommits {
  private final Path path;
  private final OperatorsEngine engine;
  private final Duration patience;
  private final boolean giveUp;
  private final Optional<String> job;
  private final Configuration conf;
  private final Output output;
  private final ArrayNode commits;
  private ExitCode code = ExitCode.OK;

  /**
   * @param patience how long a commit whose process may be alive is left alone
   * @param giveUp whether to end also what cannot be completed
   * @param job the only one to give up
   */
  RecoverCommits(
      Path path,
      OperatorsEngine engine,
      Duration patience,
      boolean giveUp,
      Optional<String> job,
      Session session) {
    this.path = path;
    this.engine = engine;
    this.patience = patience;
    this.giveUp = giveUp;
    this.job = job;
    conf = session.conf();
    output = session.output();
    output.json().put("path", path.toString());
    commits = output.json().putArray("commits");
  }

  ExitCode run() throws IOException {
    CommitLogs logs = new CommitLogs(engine.stores(), conf, Optional.empty());
    tell(recovery(logs.at(logs.inBucket(path))));
    // A partition has the log of its table. What is given up there must be named there.
    for (Path place = path.getParent(); place != null && !giveUp; place = place.getParent()) {
      try {
        tell(recovery(logs.at(logs.inBucket(place))));
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
          throw e;
        }
        // Who may see a table need not see what is above it.
      }
    }
    tellOfClusterFileSystem();
    if (commits.isEmpty()) {
      output.line("No commit is open at " + path + ".");
    }
    return code;
  }

  private Recovery recovery(CommitLog log) {
    return new Recovery(
        engine.stores(), log, CommitSettings.from(conf, ObjectKeys.bucketOf(path)), engine);
  }

  /** It may be gone, with the cluster. */
  private void tellOfClusterFileSystem() {
    engine
        .records()
        .unseen()
        .forEach(
            place ->
                output.warn(
                    "Whether a decision is kept on the cluster file system cannot be seen: "
                        + place));
    try {
      for (WorkDirectory work : engine.records().places()) {
        CommitLogs logs = new CommitLogs(engine.stores(), conf, Optional.of(work));
        tell(recovery(logs.at(logs.onFileSystem(path).orElseThrow())));
      }
    } catch (IOException | RuntimeException e) {
      output.warn(
          "Whether a decision is kept on the cluster file system cannot be seen: "
              + e.getMessage());
    }
  }

  private void tell(Recovery recovery) throws IOException {
    List<Recovered> results;
    if (job.isPresent()) {
      results = recovery.giveUp(job.get(), patience).stream().toList();
    } else {
      results = giveUp ? recovery.giveUp(patience) : recovery.retry(patience);
    }
    Set<String> ended = new LinkedHashSet<>();
    for (Recovered result : results) {
      if (result instanceof Recovered.GivenUp) {
        ended.add(result.jobId());
      }
    }
    for (Recovered result : results) {
      tell(result, ended.contains(result.jobId()));
    }
  }

  private void tell(Recovered result, boolean ended) {
    output.line(result.message());
    ObjectNode json = commits.addObject();
    json.put("job", result.jobId());
    json.put("result", nameOf(result));
    json.put("message", result.message());
    if (result instanceof Recovered.Completed completed) {
      OperatorsEngine.tableOf(completed.plan()).ifPresent(table -> advise(table, json));
    } else if (result instanceof Recovered.Damaged damaged) {
      ArrayNode lost = json.putArray("lost");
      damaged.lost().forEach(file -> lost.add(file.toString()));
      damaged.lost().forEach(file -> output.line("  lost: " + file));
    } else if (result instanceof Recovered.UnderWay) {
      output.line("  If that process is dead, add --now.");
      code = code.and(ExitCode.UNDER_WAY);
    }
    boolean left = result instanceof Recovered.Damaged || result instanceof Recovered.Failed;
    if (left && !ended) {
      code = code.and(ExitCode.FOUND);
    }
  }

  private void advise(String table, ObjectNode json) {
    String statements =
        "MSCK REPAIR TABLE " + table + "; ANALYZE TABLE " + table + " COMPUTE STATISTICS;";
    output.line("  Hive's metastore does not know of it yet: run " + statements);
    json.put("run", statements);
  }

  private static String nameOf(Recovered result) {
    if (result instanceof Recovered.Completed) {
      return "completed";
    } else if (result instanceof Recovered.RolledBack) {
      return "rolled-back";
    } else if (result instanceof Recovered.UnderWay) {
      return "under-way";
    } else if (result instanceof Recovered.Settling) {
      return "settling";
    } else if (result instanceof Recovered.Damaged) {
      return "damaged";
    } else if (result instanceof Recovered.GivenUp) {
      return "given-up";
    }
    return "failed";
  }
}
