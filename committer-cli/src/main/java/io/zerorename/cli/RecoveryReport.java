package io.zerorename.cli;

import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.Output;
import io.zerorename.core.recovery.Recovered;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** Prints the result of each commit that {@code zerorename recover} found. */
final class RecoveryReport {
  private final Path path;
  private final boolean giveUp;
  private final Output output;
  private final List<Commit> commits = new ArrayList<>();
  private final List<String> unseen = new ArrayList<>();
  private ExitCode code = ExitCode.OK;

  /**
   * What became of a commit.
   *
   * @param entry its number, where it is known
   * @param lost files
   * @param next what remains to be done
   */
  private record Commit(
      Optional<Long> entry,
      String job,
      String result,
      String message,
      List<Path> lost,
      Optional<String> next) {}

  /**
   * @param giveUp whether the user accepts that files are lost
   */
  RecoveryReport(Path path, boolean giveUp, Output output) {
    this.path = path;
    this.giveUp = giveUp;
    this.output = output;
    output.put("path", path);
    output.put("commits", commits);
    output.put("unseen", unseen);
  }

  boolean hasNoCommit() {
    return commits.isEmpty();
  }

  /** Whether some log could not be read. */
  boolean hasUnseen() {
    return !unseen.isEmpty();
  }

  void add(Recovered result) {
    List<Path> lost = List.of();
    Optional<String> next = Optional.empty();
    boolean done = result instanceof Recovered.Completed || result instanceof Recovered.GivenUp;
    if (result instanceof Recovered.Completed completed) {
      next = OperatorsEngine.adviceAfter(completed.plan());
    } else if (result instanceof Recovered.GivenUp ended) {
      lost = ended.lost();
    } else if (result instanceof Recovered.Damaged damaged) {
      lost = damaged.lost();
      done = giveUp && damaged.ended();
    }
    // Such as given-up.
    String word =
        result
            .getClass()
            .getSimpleName()
            .replaceAll("([a-z])([A-Z])", "$1-$2")
            .toLowerCase(Locale.ROOT);
    String message = result.message();
    commits.add(
        new Commit(Optional.of(result.number()), result.jobId(), word, message, lost, next));
    output.line(message);
    lost.forEach(file -> output.line("  lost: " + file));
    next.ifPresent(it -> output.line("  " + it));
    code = code.and(done ? ExitCode.OK : ExitCode.FOUND);
  }

  /**
   * A commit with which nothing was done.
   *
   * @param result in a word
   */
  void open(Optional<Long> entry, String jobId, String result, String message) {
    commits.add(new Commit(entry, jobId, result, message, List.of(), Optional.empty()));
    output.line(message);
    code = code.and(ExitCode.FOUND);
  }

  /** The log of a directory above the path that cannot be read. */
  void unseen(String logAndReason) {
    unseen.add(logAndReason);
    output.warn("ZR-9105: Whether a commit is open there cannot be seen: " + logAndReason);
  }

  ExitCode end() {
    if (commits.isEmpty()) {
      output.line(
          "No commit is open at %s%s"
              .formatted(path, unseen.isEmpty() ? "." : ", as far as can be seen."));
      output.line("  " + LogSearch.COMMITS_ELSEWHERE);
    }
    return code;
  }
}
