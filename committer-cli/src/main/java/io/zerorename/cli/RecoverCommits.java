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
import java.util.ArrayList;
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
  private final List<String> unseen = new ArrayList<>();
  private final List<String> unseenAbove = new ArrayList<>();
  private ExitCode code = ExitCode.OK;

  /**
   * @param patience how long a commit whose process may be alive is left alone
   * @param giveUp whether to end also what cannot be completed
   * @param job the only one to give up: its id, or how it begins
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
    unseen.addAll(engine.records().unseen());
    List<Recovery> own = at(path);
    if (job.isPresent()) {
      giveUpOne(own, job.get());
    } else {
      for (Recovery recovery : own) {
        tell(giveUp ? recovery.giveUp(patience) : recovery.retry(patience));
      }
      tellOfAbove("");
    }
    return end();
  }

  /** Of every log that a destination may have. */
  private List<Recovery> at(Path destination) throws IOException {
    CommitLogs inBucket = new CommitLogs(engine.stores(), conf, Optional.empty());
    List<Recovery> recoveries = new ArrayList<>();
    recoveries.add(recovery(inBucket.at(inBucket.inBucket(destination))));
    for (WorkDirectory work : engine.records().places()) {
      CommitLogs logs = new CommitLogs(engine.stores(), conf, Optional.of(work));
      recoveries.add(recovery(logs.at(logs.onFileSystem(destination).orElseThrow())));
    }
    return recoveries;
  }

  private Recovery recovery(CommitLog log) {
    return new Recovery(
        engine.stores(), log, CommitSettings.from(conf, ObjectKeys.bucketOf(path)), engine);
  }

  /**
   * A partition has the log of its table.
   *
   * @param text how the ids begin of jobs to give up
   */
  private void tellOfAbove(String text) throws IOException {
    for (Path place = path.getParent(); place != null; place = place.getParent()) {
      for (Recovery recovery : at(place)) {
        try {
          if (giveUp) {
            tellWhereToGiveUp(recovery.open(), text, place);
          } else {
            tell(recovery.retry(patience));
          }
        } catch (StoreException e) {
          // Who may see a table need not see what is above it.
          unseenAbove.add(denied(place, e));
        }
      }
    }
  }

  private static String denied(Path place, StoreException failure) throws StoreException {
    if (failure.kind() != StoreException.Kind.ACCESS_DENIED) {
      throw failure;
    }
    return "the commit log of " + place + ", where a table may be: " + failure.getMessage();
  }

  /** What is above a path has other files than those below it, so nobody gives it up unnamed. */
  private void tellWhereToGiveUp(List<String> open, String text, Path place) {
    for (String id : open) {
      if (id.startsWith(text)) {
        tellWhereToGiveUp(id, place);
      }
    }
  }

  private void tellWhereToGiveUp(String id, Path place) {
    String message =
        "The commit of job "
            + id
            + " is open at "
            + place
            + "; to end it as it is, name that place: zerorename recover --give-up --job "
            + id
            + " "
            + place;
    output.line(message);
    commits.addObject().put("job", id).put("result", "elsewhere").put("message", message);
    code = code.and(ExitCode.FOUND);
  }

  /**
   * Ends the commit of a job.
   *
   * @param text the job's id, or how it begins
   */
  private void giveUpOne(List<Recovery> own, String text) throws IOException {
    Set<String> open = new LinkedHashSet<>();
    for (Recovery recovery : own) {
      open.addAll(recovery.open());
    }
    List<String> meant = open.stream().filter(id -> id.startsWith(text)).toList();
    if (meant.isEmpty()) {
      tellOfAbove(text);
      if (commits.isEmpty() && unseen.isEmpty() && unseenAbove.isEmpty()) {
        throw new InputException("No commit of a job " + text + here(open));
      }
      if (commits.isEmpty()) {
        // The job that is meant may be there.
        unseen.addAll(unseenAbove);
      }
    } else if (meant.size() > 1) {
      throw new InputException("Several jobs have an id that begins with " + text + here(open));
    } else {
      for (Recovery recovery : own) {
        tell(recovery.giveUp(meant.get(0), patience).stream().toList());
      }
    }
  }

  private String here(Set<String> open) {
    return " is open at "
        + path
        + "; open there are "
        + (open.isEmpty() ? "none. " + PartitionsElsewhere.COMMITS : String.join(", ", open));
  }

  private ExitCode end() {
    Set<String> all = new LinkedHashSet<>(unseen);
    all.addAll(unseenAbove);
    ArrayNode places = output.json().putArray("unseen");
    for (String place : all) {
      places.add(place);
      output.warn("Whether a commit is open there cannot be seen: " + place);
    }
    if (unseen.isEmpty()) {
      if (commits.isEmpty()) {
        output.line(
            "No commit is open at "
                + path
                + (unseenAbove.isEmpty() ? "." : ", as far as can be seen."));
        output.line("  " + PartitionsElsewhere.COMMITS);
      }
      return code;
    }
    output
        .json()
        .put("error", "whether a commit is open cannot be seen in " + String.join("; ", unseen));
    return code.and(ExitCode.FAILED);
  }

  private void tell(List<Recovered> results) {
    Set<String> ended = new LinkedHashSet<>();
    Set<String> damaged = new LinkedHashSet<>();
    for (Recovered result : results) {
      if (result instanceof Recovered.GivenUp) {
        ended.add(result.jobId());
      } else if (result instanceof Recovered.Damaged) {
        damaged.add(result.jobId());
      }
    }
    for (Recovered result : results) {
      tell(result, ended.contains(result.jobId()), damaged.contains(result.jobId()));
    }
  }

  /**
   * @param ended whether it was given up
   * @param lostTold whether its lost files are told with another result
   */
  private void tell(Recovered result, boolean ended, boolean lostTold) {
    output.line(result.message());
    ObjectNode json = commits.addObject();
    json.put("job", result.jobId());
    json.put("result", nameOf(result));
    json.put("message", result.message());
    if (result instanceof Recovered.Completed completed) {
      OperatorsEngine.tableOf(completed.plan()).ifPresent(table -> advise(table, json));
    } else if (result instanceof Recovered.Damaged damaged) {
      list("lost", damaged.lost(), json, true);
    } else if (result instanceof Recovered.Missing missing) {
      list("missing", missing.missing(), json, true);
    } else if (result instanceof Recovered.GivenUp givenUp) {
      list("lost", givenUp.lost(), json, !lostTold);
      list("missing", givenUp.missing(), json, true);
    } else if (result instanceof Recovered.UnderWay) {
      output.line("  If that process is dead, add --now.");
      code = code.and(ExitCode.UNDER_WAY);
    }
    boolean left =
        result instanceof Recovered.Damaged
            || result instanceof Recovered.Missing
            || result instanceof Recovered.Failed;
    if (left && !ended) {
      code = code.and(ExitCode.FOUND);
    }
  }

  private void list(String what, List<Path> files, ObjectNode json, boolean print) {
    ArrayNode names = json.putArray(what);
    for (Path file : files) {
      names.add(file.toString());
      if (print) {
        output.line("  " + what + ": " + file);
      }
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
    } else if (result instanceof Recovered.Missing) {
      return "missing";
    } else if (result instanceof Recovered.Damaged) {
      return "damaged";
    } else if (result instanceof Recovered.GivenUp) {
      return "given-up";
    }
    return "failed";
  }
}
