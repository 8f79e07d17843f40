package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Units;
import io.zerorename.core.recovery.PlannedRecovery;
import io.zerorename.core.recovery.Recovered;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/** Prints the result of each commit that {@code zerorename recover} found. */
final class RecoveryReport {
  private final Path path;
  private final boolean giveUp;
  private final Output output;
  private final ArrayNode commits;
  private final List<String> unseenAbove = new ArrayList<>();
  private boolean allLogsNeeded;
  private ExitCode code = ExitCode.OK;

  /**
   * @param giveUp whether the user accepts that files are lost
   */
  RecoveryReport(Path path, boolean giveUp, Output output) {
    this.path = path;
    this.giveUp = giveUp;
    this.output = output;
    output.json().put("path", path.toString());
    commits = output.json().putArray("commits");
  }

  /** The log of a directory above the path that cannot be read. */
  void unseenAbove(String logAndReason) {
    unseenAbove.add(logAndReason);
  }

  /** Whether no commit was found, and every log was read. */
  boolean hasNothing() {
    return hasNoCommit() && unseenAbove.isEmpty();
  }

  boolean hasNoCommit() {
    return commits.isEmpty();
  }

  /** The job that the user means may be in a log above: without a commit the command has failed. */
  void needsAllLogs() {
    allLogsNeeded = commits.isEmpty();
  }

  /**
   * @param results of one log
   */
  void add(List<Recovered> results) {
    Set<Long> givenUp =
        results.stream()
            .filter(Recovered.GivenUp.class::isInstance)
            .map(Recovered::number)
            .collect(Collectors.toSet());
    results.forEach(result -> add(result, givenUp.contains(result.number())));
  }

  /**
   * @param givenUp whether the entry is given up, as this result or the next one says
   */
  private void add(Recovered result, boolean givenUp) {
    // What the command has just done is no advice.
    String message = givenUp ? result.finding() : result.message();
    output.line(message);
    ObjectNode json = commits.addObject();
    Kind kind = Kind.of(result);
    json.put("entry", result.number());
    json.put("job", result.jobId());
    json.put("result", Output.word(kind));
    json.put("message", message);
    boolean accepted = givenUp;
    if (result instanceof Recovered.Completed completed) {
      OperatorsEngine.tableOf(completed.plan()).ifPresent(table -> advise(table, json));
      if (OperatorsEngine.mayLackPartitions(completed.plan())) {
        output.line(
            "  If a catalog has it as a table, run MSCK REPAIR TABLE, which registers new partitions.");
        json.put("run", "MSCK REPAIR TABLE");
      }
    } else if (result instanceof Recovered.Damaged damaged) {
      // The result of giving it up lists them too.
      list(damaged.lost(), json, !givenUp);
      accepted |= giveUp && damaged.ended();
    } else if (result instanceof Recovered.GivenUp ended) {
      list(ended.lost(), json, true);
    }
    code = code.and(accepted ? ExitCode.OK : kind.code);
  }

  /** A commit with which nothing was done. */
  void plan(PlannedRecovery planned) {
    String message =
        "Entry %s%s: %s"
            .formatted(
                planned.number(), planned.jobId().isEmpty() ? "" : of(planned), words(planned));
    output.line(message);
    commits
        .addObject()
        .put("entry", planned.number())
        .put("job", planned.jobId())
        .put("result", "would-" + Output.word(planned.step()))
        .put("message", message)
        .put("uploads", planned.uploads())
        .put("replaced", planned.replaced());
    code = code.and(ExitCode.FOUND);
  }

  /** Descriptions of Spark's jobs have the id. */
  private static String of(PlannedRecovery planned) {
    return planned.description().contains(planned.jobId())
        ? ", " + planned.description()
        : " of job " + planned.jobId() + ", " + planned.description();
  }

  private static String words(PlannedRecovery planned) {
    return switch (planned.step()) {
      case COMPLETE ->
          ("would be completed: as far as they are not visible yet, %s completed; then, as far"
                  + " as they are unchanged, %s deleted.")
              .formatted(
                  Units.count(planned.uploads(), "upload"),
                  Units.count(planned.replaced(), "old object"));
      case LEAVE_TO_HIVE ->
          "would be left to Hive: its files are in place, and the next INSERT registers its"
              + " partitions; --without-metastore ends it.";
      case REFUSE -> "would be refused: " + planned.reason();
      case UNREADABLE -> "could not be completed: " + planned.reason();
    };
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
        "MSCK REPAIR TABLE %s; ANALYZE TABLE %s COMPUTE STATISTICS;".formatted(table, table);
    output.line(
        "  Hive's metastore does not have its partitions and statistics: run " + statements);
    json.put("run", statements);
  }

  /** A commit in the log of a directory above, which is not given up from here. */
  void elsewhere(String jobId, Optional<Long> entry, Path above) {
    String message =
        "%s%s is open at %s; to end it as it is, name that path: zerorename recover --give-up --job %s %s"
            .formatted(
                entry.map(number -> "Entry " + number + " of job ").orElse("The commit of job "),
                jobId,
                above,
                jobId,
                above);
    output.line(message);
    ObjectNode json = commits.addObject();
    entry.ifPresent(number -> json.put("entry", number));
    json.put("job", jobId).put("result", "elsewhere").put("message", message);
    code = code.and(ExitCode.FOUND);
  }

  void warnOfUnseen() {
    ArrayNode json = output.json().putArray("unseen");
    for (String location : unseenAbove) {
      json.add(location);
      output.warn("ZR-9105: Whether a commit is open there cannot be seen: " + location);
    }
  }

  ExitCode end() {
    if (allLogsNeeded && !unseenAbove.isEmpty()) {
      output
          .json()
          .put(
              "error",
              "whether a commit is open cannot be seen in " + String.join("; ", unseenAbove));
      return code.and(ExitCode.FAILED);
    }
    if (commits.isEmpty()) {
      output.line(
          "No commit is open at %s%s"
              .formatted(path, unseenAbove.isEmpty() ? "." : ", as far as can be seen."));
      output.line("  " + LogSearch.COMMITS_ELSEWHERE);
    }
    return code;
  }

  /** Each kind of result, and how the command ends. */
  enum Kind {
    COMPLETED(Recovered.Completed.class, ExitCode.OK),
    METASTORE_OPEN(Recovered.MetastoreOpen.class, ExitCode.FOUND),
    LEFT(Recovered.Left.class, ExitCode.FOUND),
    DAMAGED(Recovered.Damaged.class, ExitCode.FOUND),
    GIVEN_UP(Recovered.GivenUp.class, ExitCode.OK),
    FAILED(Recovered.Failed.class, ExitCode.FOUND);

    final Class<? extends Recovered> type;
    private final ExitCode code;

    Kind(Class<? extends Recovered> type, ExitCode code) {
      this.type = type;
      this.code = code;
    }

    private static Kind of(Recovered result) {
      return Stream.of(values())
          .filter(kind -> kind.type.isInstance(result))
          .findFirst()
          .orElseThrow();
    }
  }
}
