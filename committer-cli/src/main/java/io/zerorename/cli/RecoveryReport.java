package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.Output;
import io.zerorename.core.recovery.Recovered;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/** Prints the result of each commit that {@code zerorename recover} found. */
final class RecoveryReport {
  private final Path path;
  private final boolean giveUp;
  private final Output output;
  private final ArrayNode commits;
  private final List<String> unseenAbove = new ArrayList<>();
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

  boolean hasNoCommit() {
    return commits.isEmpty();
  }

  void add(Recovered result) {
    String message = result.message();
    output.line(message);
    ObjectNode json = commits.addObject();
    Kind kind = Kind.of(result);
    json.put("entry", result.number());
    json.put("job", result.jobId());
    json.put("result", Output.word(kind));
    json.put("message", message);
    boolean accepted = false;
    if (result instanceof Recovered.Completed completed) {
      OperatorsEngine.tableOf(completed.plan()).ifPresent(table -> advise(table, json));
      if (OperatorsEngine.mayLackPartitions(completed.plan())) {
        output.line(
            "  If a catalog has it as a table, run MSCK REPAIR TABLE, which registers new partitions.");
        json.put("run", "MSCK REPAIR TABLE");
      }
    } else if (result instanceof Recovered.Damaged damaged) {
      list(damaged.lost(), json);
      accepted = giveUp && damaged.ended();
    } else if (result instanceof Recovered.GivenUp ended) {
      list(ended.lost(), json);
    }
    code = code.and(accepted ? ExitCode.OK : kind.code);
  }

  /**
   * A commit with which nothing was done.
   *
   * @param uploads that would be completed, unless their files are visible
   * @param replaced old objects that would be deleted, unless they are gone or have changed
   */
  void plan(long entry, String jobId, String result, String message, int uploads, int replaced) {
    output.line(message);
    commits
        .addObject()
        .put("entry", entry)
        .put("job", jobId)
        .put("result", "would-" + result)
        .put("message", message)
        .put("uploads", uploads)
        .put("replaced", replaced);
    code = code.and(ExitCode.FOUND);
  }

  private void list(List<Path> lost, ObjectNode json) {
    ArrayNode names = json.putArray("lost");
    for (Path file : lost) {
      names.add(file.toString());
      output.line("  lost: " + file);
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
  void elsewhere(String jobId, Path above) {
    String message =
        "The commit of job %s is open at %s; to end it as it is, name that path: zerorename recover --give-up --job %s %s"
            .formatted(jobId, above, jobId, above);
    output.line(message);
    commits.addObject().put("job", jobId).put("result", "elsewhere").put("message", message);
    code = code.and(ExitCode.FOUND);
  }

  /** Whether some log could not be read. */
  boolean warnOfUnseen() {
    ArrayNode json = output.json().putArray("unseen");
    for (String location : unseenAbove) {
      json.add(location);
      output.warn("ZR-9105: Whether a commit is open there cannot be seen: " + location);
    }
    return !unseenAbove.isEmpty();
  }

  ExitCode end() {
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
    BEHIND(Recovered.Behind.class, ExitCode.FOUND),
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
