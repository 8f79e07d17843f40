package io.zerorename.cli;

import io.zerorename.cli.LoggedJob.State;
import io.zerorename.cli.doctor.OtherNames;
import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.recovery.RecoverEntry;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Completes or gives up the interrupted commits in the logs of a path and of the directories above
 * it, and prints what became of each.
 */
final class RecoveryRun {
  /**
   * Advice if nothing is found at a path: it may be a partition outside of its table's directory,
   * whose commits are in the table's log. Nothing there shows where the table is.
   */
  static final String COMMITS_ELSEWHERE =
      "A partition whose location is outside of its table's has the commits of its table: name the"
          + " table's location, and the partition's by --also.";

  /** What to do with open commits. */
  enum Mode {
    COMPLETE,

    /** Also gives up what cannot be completed. */
    GIVE_UP,

    /** Only reports what {@link #COMPLETE} would do. */
    DRY_RUN
  }

  /**
   * What became of a commit.
   *
   * @param job its id, where it can be read
   * @param result in a word, such as given-up
   * @param lost files
   * @param next what remains to be done
   */
  private record Commit(
      long entry,
      Optional<String> job,
      String result,
      String message,
      List<Path> lost,
      Optional<String> next) {}

  private final Path path;
  private final OperatorsEngine engine;
  private final CommitLogs logs;
  private final CommitSettings settings;
  private final Mode mode;
  private final Optional<String> job;
  private final Output output;
  private final List<Commit> commits = new ArrayList<>();

  /** The logs above that cannot be read, by their destinations, with the reason. */
  private final Map<Path, String> unseen = new LinkedHashMap<>();

  private ExitCode code = ExitCode.OK;

  /**
   * @param settings for commits to the path's bucket
   * @param mode what to do with open commits
   * @param job the only one to give up: its id, or how that begins
   */
  RecoveryRun(
      Path path,
      OperatorsEngine engine,
      CommitLogs logs,
      CommitSettings settings,
      Mode mode,
      Optional<String> job,
      Output output) {
    this.path = path;
    this.engine = engine;
    this.logs = logs;
    this.settings = settings;
    this.mode = mode;
    this.job = job;
    this.output = output;
    output.put("path", path);
    output.put("commits", commits);
    output.put("unseen", unseen.values());
  }

  ExitCode run() throws IOException {
    if (job.isEmpty()) {
      recover(path);
      recoverAbove();
    } else {
      giveUp(job.get());
    }
    if (commits.isEmpty()) {
      String seen = unseen.isEmpty() ? "." : ", as far as can be seen.";
      Optional<String> otherName = openByAnotherName();
      String advice = otherName.orElse(COMMITS_ELSEWHERE);
      Path logged = logged().orElseThrow(() -> noLog(path, advice));
      output.line("No commit is open at " + path + seen);
      if (otherName.isPresent() || !logged.equals(path)) {
        output.line("  " + advice);
      }
    }
    return code;
  }

  /**
   * What to run where a commit of the path is open in a log that has another name of the bucket;
   * nothing for a user who may list the path's own log alone.
   */
  private Optional<String> openByAnotherName() throws IOException {
    List<OtherNames.Log> found;
    try {
      found = new OtherNames(logs).of(path);
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
        throw e;
      }
      return Optional.empty();
    }
    return found.stream()
        .filter(it -> !it.tail().open().isEmpty())
        .flatMap(it -> it.destination().stream())
        .findFirst()
        .map("A commit is open by another name of the bucket: zerorename recover %s"::formatted);
  }

  /** The lowest directory at or above the path that has a log, of those that could be read. */
  private Optional<Path> logged() throws IOException {
    for (Path above = path; above != null; above = above.getParent()) {
      if (!unseen.containsKey(above) && logs.of(above).tail().highest() > 0) {
        return Optional.of(above);
      }
    }
    return Optional.empty();
  }

  /**
   * Nothing is known of a path.
   *
   * @param advice what may be the reason
   */
  static InputException noLog(Path path, String advice) {
    return new InputException(
        ("ZR-9102: No commit log of %s or of a directory above it can be seen. %s zerorename status"
                + " %s shows all of the bucket.")
            .formatted(path, advice, new Path(path, "/")));
  }

  private Recovery recovery(Path location) {
    return new Recovery(engine.stores(), logs.of(location), settings, engine);
  }

  private void recover(Path location) throws IOException {
    switch (mode) {
      case COMPLETE -> execute(location, Manner.BY_OPERATOR);
      case GIVE_UP -> execute(location, Manner.GIVING_UP);
      case DRY_RUN ->
          preview(new RecoverEntry(engine.stores(), logs.of(location), settings, engine));
    }
  }

  private void execute(Path location, Manner manner) throws IOException {
    recovery(location).run(Duration.ZERO, manner).forEach(it -> add(it, location));
  }

  /**
   * Reports what a recovery would do with each entry of a log that has not ended. One listing, one
   * request for each such entry, and one for each chunk of its plan.
   */
  private void preview(RecoverEntry recover) throws IOException {
    LogTail tail = recover.log().tail();
    for (long number : tail.open()) {
      try {
        Optional<LogEntry> entry = recover.log().read(number, tail);
        if (entry.filter(it -> it.kind().commits()).isPresent()) {
          preview(entry.get(), tail, recover);
        }
      } catch (MalformedDocumentException e) {
        leave(
            number,
            "",
            "would-unreadable",
            "Entry %s: could not be completed: %s".formatted(number, ErrorText.of(e)));
      }
    }
  }

  private void preview(LogEntry entry, LogTail tail, RecoverEntry recover) throws IOException {
    CommitPlan plan = recover.log().plan(entry);
    String result = "would-leave-to-hive";
    String text =
        "would be left to Hive: its files are in place, and the next INSERT registers its"
            + " partitions; --without-metastore ends it.";
    if (tail.state(entry.number()) != EntryState.METASTORE_OPEN || engine.hasMetastore()) {
      Optional<String> refusal = refusal(entry, plan, tail, recover);
      result = refusal.isPresent() ? "would-refuse" : "would-complete";
      text =
          refusal
              .map(it -> "would be refused: " + it)
              .orElseGet(
                  () ->
                      "would be completed: up to %s completed, those of files that are not visible yet%s."
                          .formatted(Units.count(plan.fileCount(), "upload"), deletions(plan)));
    }
    String id = entry.job().id();
    String description = entry.job().description();
    // Descriptions of Spark's jobs have the id.
    String job = description.contains(id) ? description : "job " + id + ", " + description;
    leave(entry.number(), id, result, "Entry %s, %s: %s".formatted(entry.number(), job, text));
  }

  private static String deletions(CommitPlan plan) {
    int replaced = plan.replacedCount();
    return replaced == 0
        ? ""
        : "; then up to %s deleted, those that are unchanged"
            .formatted(Units.count(replaced, "old object"));
  }

  /** An overwrite that an earlier attempt has left would end as that did. */
  private static Optional<String> refusal(
      LogEntry entry, CommitPlan plan, LogTail tail, RecoverEntry recover) throws IOException {
    String command = RecoveryAdvice.of(plan.job());
    Optional<String> refusal = recover.refusal(plan, false);
    if (refusal.isPresent()) {
      return refusal.map(it -> it + " The command for it: " + command);
    }
    long number = entry.number();
    int lost = tail.state(number) == EntryState.LEFT ? recover.log().lost(number, tail).size() : 0;
    return lost == 0
        ? Optional.empty()
        : Optional.of(
            "files of it are lost (%s). To end it without them: %s --give-up"
                .formatted(lost, command));
  }

  /** A partition has the log of its table, in one of the directories above. */
  private void recoverAbove() throws IOException {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      try {
        if (mode == Mode.GIVE_UP) {
          nameOpen(above);
        } else {
          recover(above);
        }
      } catch (StoreException e) {
        // A user who may read a table need not have access to the directories above it.
        if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
          throw e;
        }
        String log =
            "the commit log of %s, where a table may be: %s".formatted(above, e.getMessage());
        unseen.put(above, log);
        output.warn("ZR-9105: Whether a commit is open there cannot be seen: " + log);
      }
    }
  }

  /** Other files depend on such a commit: the user must name its path. */
  private void nameOpen(Path above) throws IOException {
    recovery(above)
        .openEntries()
        .forEach(
            (number, entry) -> {
              String id = entry.map(it -> it.job().id()).orElse("");
              if (id.isEmpty() || id.startsWith(job.orElse(""))) {
                leave(
                    number,
                    id,
                    "elsewhere",
                    ("%s is open at %s; to end it as it is, name that path: zerorename recover"
                            + " --give-up%s %2$s")
                        .formatted(
                            id.isEmpty()
                                ? "Entry " + number + ", which cannot be read,"
                                : "The commit of job " + id,
                            above,
                            id.isEmpty() ? "" : " --job " + id));
              }
            });
  }

  /**
   * Gives up the commit of one job.
   *
   * @param beginning of its id
   */
  private void giveUp(String beginning) throws IOException {
    Recovery own = recovery(path);
    List<String> meant =
        own.openEntries().values().stream()
            .flatMap(Optional::stream)
            .map(entry -> entry.job().id())
            .filter(it -> it.startsWith(beginning))
            .toList();
    if (meant.size() == 1) {
      own.giveUp(meant.get(0)).ifPresent(it -> add(it, path));
      return;
    }
    if (meant.isEmpty()) {
      recoverAbove();
      if (!commits.isEmpty()) {
        return;
      }
    }
    List<String> names = new ArrayList<>();
    own.openEntries()
        .forEach(
            (number, entry) ->
                names.add(
                    entry
                        .map(it -> it.job().id())
                        .orElse("entry " + number + ", which cannot be read")));
    String problem =
        "ZR-9108: %s has an id that begins with %s and is open at %s; open there are %s"
            .formatted(
                meant.isEmpty() ? "No job" : "More than one job",
                beginning,
                path,
                names.isEmpty() ? "none. " + COMMITS_ELSEWHERE : String.join(", ", names));
    if (!unseen.isEmpty()) {
      throw new IOException(problem);
    }
    throw new InputException(problem);
  }

  /**
   * @param location in whose log it was found
   */
  private void add(Recovered result, Path location) {
    List<Path> lost = List.of();
    Optional<String> next = Optional.empty();
    boolean done = result instanceof Recovered.Completed || result instanceof Recovered.GivenUp;
    if (result instanceof Recovered.Completed completed) {
      next = OperatorsEngine.adviceAfter(completed.plan().job());
    } else if (result instanceof Recovered.GivenUp ended) {
      lost = ended.lost();
      next = Optional.of(OperatorsEngine.IN_A_CATALOG);
    } else if (result instanceof Recovered.Damaged damaged) {
      lost = damaged.lost();
      next =
          damaged.state().isEnded()
              ? OperatorsEngine.adviceAfter(damaged.entry().job())
              : Optional.empty();
      done = mode == Mode.GIVE_UP && damaged.state().isEnded();
    } else if (result instanceof Recovered.Failed && !location.equals(path)) {
      next =
          Optional.of(
              "It is a commit of %s: name that path, zerorename recover %<s".formatted(location));
    } else if (result instanceof Recovered.Failed failed
        && failed.isUnreadable()
        && mode == Mode.COMPLETE) {
      next = LoggedJob.next(State.UNREADABLE, Optional.empty(), "zerorename recover " + location);
    }
    String word =
        result
            .getClass()
            .getSimpleName()
            .replaceAll("([a-z])([A-Z])", "$1-$2")
            .toLowerCase(Locale.ROOT);
    String message = result.message();
    commits.add(new Commit(result.number(), known(result.jobId()), word, message, lost, next));
    output.line(message);
    lost.forEach(file -> output.line("  lost: " + file));
    next.ifPresent(it -> output.line("  " + it));
    code = code.and(done ? ExitCode.OK : ExitCode.FOUND);
  }

  /** A commit with which nothing was done. */
  private void leave(long entry, String jobId, String result, String message) {
    commits.add(new Commit(entry, known(jobId), result, message, List.of(), Optional.empty()));
    output.line(message);
    code = code.and(ExitCode.FOUND);
  }

  private static Optional<String> known(String jobId) {
    return Optional.of(jobId).filter(it -> !it.isEmpty());
  }
}
