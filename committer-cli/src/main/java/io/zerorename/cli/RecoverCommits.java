package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Completes the commits that were interrupted at a table or at a job's destination, and reports
 * each.
 */
final class RecoverCommits {
  private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,11}");

  /** Characters up to the first hyphen of an id. */
  private static final int COPIED = 8;

  private final Path path;
  private final OperatorsEngine engine;
  private final CommitSettings settings;
  private final Duration grace;
  private final boolean giveUp;
  private final Optional<String> job;
  private final Configuration conf;
  private final Output output;
  private final ArrayNode commits;
  private final List<String> unseen = new ArrayList<>();
  private final List<String> unseenAbove = new ArrayList<>();
  private ExitCode code = ExitCode.OK;

  /**
   * @param settings for commits to the path's bucket
   * @param grace how long a commit whose process may be alive is left alone
   * @param giveUp whether to end also what cannot be completed
   * @param job the only one to give up: its id, how that begins, or the number of its entry
   */
  RecoverCommits(
      Path path,
      OperatorsEngine engine,
      CommitSettings settings,
      Duration grace,
      boolean giveUp,
      Optional<String> job,
      Session session) {
    this.path = path;
    this.engine = engine;
    this.settings = settings;
    this.grace = grace;
    this.giveUp = giveUp;
    this.job = job;
    conf = session.conf();
    output = session.output();
    output.json().put("path", path.toString());
    commits = output.json().putArray("commits");
  }

  /** A log that the path may have, or a directory above it. */
  private record Searched(CommitLog log, Recovery recovery) {
    /**
     * The ids of jobs whose entries have not ended.
     *
     * @param text how they begin, or the number of an entry; empty for all
     */
    List<String> open(String text) throws IOException {
      if (isNumber(text)) {
        Optional<String> numbered = numbered(text);
        return recovery.open().stream()
            .filter(id -> numbered.filter(id::equals).isPresent())
            .toList();
      }
      return recovery.open().stream().filter(id -> id.startsWith(text)).toList();
    }

    /** An id may begin with digits: fewer than a person copies of one are a number. */
    private static boolean isNumber(String text) {
      return NUMBER.matcher(text).matches() && text.length() < COPIED;
    }

    private Optional<String> numbered(String text) throws IOException {
      try {
        return log.read(Long.parseLong(text)).map(entry -> entry.job().id());
      } catch (MalformedManifestException e) {
        throw new InputException(
            "Entry "
                + text
                + " cannot be read, so that its job is not known; --give-up without --job ends it: "
                + e.getMessage());
      }
    }

    /** The entry that decides a job, where it is still there. */
    Optional<Long> number(String id) throws IOException {
      return log.find(id, log.tail()).map(LogEntry::number);
    }
  }

  ExitCode run() throws IOException {
    unseen.addAll(engine.records().unseen());
    List<Searched> own = at(path);
    if (job.isPresent()) {
      giveUpOne(own, job.get());
    } else {
      for (Searched log : own) {
        report(giveUp ? log.recovery().giveUp(grace) : log.recovery().resumeAll(grace));
      }
      reportAbove("");
    }
    return end();
  }

  /** Every log that a destination may have. */
  private List<Searched> at(Path destination) throws IOException {
    CommitLogs inBucket = new CommitLogs(engine.stores(), conf, Optional.empty());
    List<Searched> searched = new ArrayList<>();
    searched.add(searched(inBucket.at(inBucket.inBucket(destination))));
    for (WorkDirectory work : engine.records().places()) {
      CommitLogs logs = new CommitLogs(engine.stores(), conf, Optional.of(work));
      searched.add(searched(logs.at(logs.onFileSystem(destination).orElseThrow())));
    }
    return searched;
  }

  private Searched searched(CommitLog log) {
    return new Searched(log, new Recovery(engine.stores(), log, settings, engine));
  }

  /**
   * A partition has the log of its table.
   *
   * @param text names the jobs to give up, see {@link Searched#open}
   */
  private void reportAbove(String text) throws IOException {
    for (Path place = path.getParent(); place != null; place = place.getParent()) {
      for (Searched log : at(place)) {
        try {
          if (giveUp) {
            reportWhereToGiveUp(log, text, place);
          } else {
            report(log.recovery().resumeAll(grace));
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
  private void reportWhereToGiveUp(Searched log, String text, Path place) throws IOException {
    for (String id : log.open(text)) {
      Optional<Long> number = log.number(id);
      String message =
          number.map(it -> "Entry " + it + " of job ").orElse("The commit of job ")
              + id
              + " is open at "
              + place
              + "; to end it as it is, name that place: zerorename recover --give-up --job "
              + id
              + " "
              + place;
      output.line(message);
      ObjectNode json = commits.addObject();
      number.ifPresent(it -> json.put("entry", it));
      json.put("job", id).put("result", "elsewhere").put("message", message);
      code = code.and(ExitCode.FOUND);
    }
  }

  /**
   * Ends the commit of a job.
   *
   * @param text the job's id, how it begins, or the number of its entry
   */
  private void giveUpOne(List<Searched> own, String text) throws IOException {
    Set<String> meant = new LinkedHashSet<>();
    for (Searched log : own) {
      meant.addAll(log.open(text));
    }
    if (meant.isEmpty()) {
      reportAbove(text);
      if (commits.isEmpty() && unseen.isEmpty() && unseenAbove.isEmpty()) {
        throw new InputException("No commit of a job " + text + here(own));
      }
      if (commits.isEmpty()) {
        // The job that is meant may be there.
        unseen.addAll(unseenAbove);
      }
    } else if (meant.size() > 1) {
      throw new InputException(
          "Several jobs have an id that begins with "
              + text
              + ", or an entry of that number; one"
              + here(own));
    } else {
      for (Searched log : own) {
        report(log.recovery().giveUp(meant.iterator().next(), grace).stream().toList());
      }
    }
  }

  private String here(List<Searched> own) throws IOException {
    Set<String> open = new LinkedHashSet<>();
    for (Searched log : own) {
      open.addAll(log.open(""));
    }
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

  /**
   * @param results of one log
   */
  private void report(List<Recovered> results) {
    Set<Long> givenUp = new LinkedHashSet<>();
    for (Recovered result : results) {
      if (result instanceof Recovered.GivenUp) {
        givenUp.add(result.number());
      }
    }
    for (Recovered result : results) {
      report(result, givenUp.contains(result.number()));
    }
  }

  /**
   * @param givenUp whether an operator has ended its entry, as this result or the next one says
   */
  private void report(Recovered result, boolean givenUp) {
    output.line(result.message());
    ObjectNode json = commits.addObject();
    json.put("entry", result.number());
    json.put("job", result.jobId());
    json.put("result", Kind.of(result).inJson);
    json.put("message", result.message());
    if (result instanceof Recovered.Completed completed) {
      OperatorsEngine.tableOf(completed.plan()).ifPresent(table -> advise(table, json));
    } else if (result instanceof Recovered.Damaged damaged) {
      // Where it was given up after that, the other result prints them.
      list(damaged.lost(), json, !givenUp);
    } else if (result instanceof Recovered.GivenUp ended) {
      list(ended.lost(), json, true);
    } else if (result instanceof Recovered.UnderWay) {
      output.line("  If that process is dead, add --now.");
    }
    // Whoever gives up accepts what is lost.
    boolean accepted =
        givenUp || (giveUp && result instanceof Recovered.Damaged damaged && damaged.ended());
    code = code.and(accepted ? ExitCode.OK : Kind.of(result).code);
  }

  private void list(List<Path> lost, ObjectNode json, boolean print) {
    ArrayNode names = json.putArray("lost");
    for (Path file : lost) {
      names.add(file.toString());
      if (print) {
        output.line("  lost: " + file);
      }
    }
  }

  private void advise(String table, ObjectNode json) {
    String statements =
        "MSCK REPAIR TABLE " + table + "; ANALYZE TABLE " + table + " COMPUTE STATISTICS;";
    output.line("  Hive's metastore does not know of it yet: run " + statements);
    json.put("run", statements);
  }

  /** How a result is spelled for programs, and how the command ends. */
  private enum Kind {
    COMPLETED("completed", ExitCode.OK),
    METASTORE_OPEN("metastore-open", ExitCode.FOUND),
    UNDER_WAY("under-way", ExitCode.UNDER_WAY),
    LEFT("left", ExitCode.FOUND),
    DAMAGED("damaged", ExitCode.FOUND),
    GIVEN_UP("given-up", ExitCode.OK),
    FAILED("failed", ExitCode.FOUND);

    final String inJson;
    final ExitCode code;

    Kind(String inJson, ExitCode code) {
      this.inJson = inJson;
      this.code = code;
    }

    static Kind of(Recovered result) {
      if (result instanceof Recovered.Completed) {
        return COMPLETED;
      } else if (result instanceof Recovered.MetastoreOpen) {
        return METASTORE_OPEN;
      } else if (result instanceof Recovered.UnderWay) {
        return UNDER_WAY;
      } else if (result instanceof Recovered.Left) {
        return LEFT;
      } else if (result instanceof Recovered.Damaged) {
        return DAMAGED;
      } else if (result instanceof Recovered.GivenUp) {
        return GIVEN_UP;
      }
      return FAILED;
    }
  }
}
