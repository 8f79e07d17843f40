package io.zerorename.cli;

import io.zerorename.core.log.EntryState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A job, as the log of its destination shows it, and as it is printed.
 *
 * @param entry the number of the entry that decides it
 * @param job its id, where it is known
 * @param run the id that its user has given to the run, if any
 * @param when it was decided
 * @param description in a person's words, where it is known
 * @param files of the job, where they are known, as the next two
 * @param replaced old objects
 * @param lost files that will never be visible; empty where that is not known
 * @param problem why its records cannot be read
 * @param next what a person has to know or to do
 */
record LoggedJob(
    long entry,
    Optional<String> job,
    Optional<String> run,
    State state,
    Instant when,
    long ageSeconds,
    Optional<String> description,
    Optional<Integer> files,
    Optional<Long> bytes,
    Optional<Integer> replaced,
    Optional<List<Path>> lost,
    Optional<String> problem,
    Optional<String> next) {
  /** How far a job is. */
  enum State {
    /** It is committed, and its entry has not ended. */
    COMMITTED("committed, open", true),

    /** It is committed, was interrupted, and was left to an operator. */
    LEFT("left to an operator", true),

    /** All of its files are in place; Hive has yet to register partitions. */
    METASTORE_OPEN("metastore open", true),

    /** It is committed, and files of it are lost. */
    DAMAGED("damaged", true),

    /** It is committed, and nothing is left to do. */
    COMPLETE("committed and complete", false),

    /** A later job has replaced all of it. */
    SUPERSEDED("replaced by a later job", false),

    /** An operator has ended it as it was. */
    GIVEN_UP("given up", false),

    /** Nothing of it is visible. */
    ABORTED("aborted", false),

    /** Its records cannot be read. */
    UNREADABLE("records damaged", true);

    private final String text;
    private final boolean wrong;

    State(String text, boolean wrong) {
      this.text = text;
      this.wrong = wrong;
    }

    static State of(EntryState state) {
      return switch (state) {
        case OPEN, GIVEN_UP -> COMMITTED;
        default -> valueOf(state.name());
      };
    }

    /** Of an entry that cannot be read: what has ended may have been damaged since. */
    static State ofUnreadable(EntryState state) {
      return switch (state) {
        case COMPLETE, SUPERSEDED -> of(state);
        case DAMAGED -> GIVEN_UP;
        default -> UNREADABLE;
      };
    }
  }

  /**
   * What a person has to do about a job.
   *
   * @param recover the command for its destination
   */
  static Optional<String> next(State state, Optional<List<Path>> lost, String recover) {
    boolean noneLost = lost.filter(List::isEmpty).isPresent();
    String advice =
        switch (state) {
          case COMMITTED ->
              "It is being executed, or was interrupted: " + recover + " completes it.";
          case LEFT ->
              noneLost
                  ? "It was interrupted, and completing it could bring back what others have removed"
                      + " since, or it waits for one that is left. Look at the data; "
                      + recover
                      + " completes it."
                  : "The other files are visible, and those that it replaces as far as no process has"
                      + " deleted them. "
                      + recover
                      + " --give-up ends it without the lost ones, and deletes what it replaces.";
          case METASTORE_OPEN ->
              "The next INSERT into that table registers its partitions. Without one: "
                  + recover
                  + " --without-metastore, and the statements that it prints.";
          case DAMAGED ->
              "The other files are visible. Load only the lost rows again, in a new job: rows that are"
                  + " visible would be there twice.";
          case GIVEN_UP ->
              lost.isEmpty()
                  ? "It was ended as it is, and which of its files are lost is not known. Look at the"
                      + " data, and run it again."
                  : noneLost
                      ? null
                      : "It was ended without them. Load only the lost rows again, in a new job.";
          case UNREADABLE -> "Restore its records, or end it as it is: " + recover + " --give-up";
          case COMPLETE, SUPERSEDED, ABORTED -> null;
        };
    return Optional.ofNullable(advice);
  }

  /** Whether files are lost, or the user has something left to do. */
  boolean isWrong() {
    return state.wrong;
  }

  /** As a row of the table that status prints. */
  List<String> row(Path destination) {
    return List.of(
        state.text,
        String.valueOf(entry),
        Units.age(Duration.ofSeconds(ageSeconds)),
        files.map(Units::count).orElse("-"),
        bytes.map(Units::bytes).orElse("-"),
        job.orElse("-") + run.map(it -> " (run " + it + ")").orElse(""),
        destination.toString());
  }

  /** What a person has to know or to do; nothing where the row says all. */
  void explain(Output output) {
    if (next.isEmpty()) {
      return;
    }
    output.line("");
    output.line(
        "Entry %s%s%s:"
            .formatted(
                entry,
                job.map(it -> ", job " + it).orElse(""),
                description.map(it -> ", " + it).orElse("")));
    problem.ifPresent(it -> output.line("  " + it));
    lost.orElse(List.of()).forEach(file -> output.line("  lost: " + file));
    output.line("  " + next.get());
  }
}
