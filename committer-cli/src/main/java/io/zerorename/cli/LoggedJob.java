package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Units;
import io.zerorename.core.log.EndNote;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.fs.Path;

/**
 * A job, as the log of its destination shows it.
 *
 * @param number of the entry that decides it; empty where it is not decided
 * @param when it was decided; where it was not, when it last gave a sign of life
 * @param description in a person's words, where it is known
 * @param totals what it wrote, and what of it is lost, as far as is known
 * @param problem why its records cannot be read
 */
record LoggedJob(
    Path destination,
    OptionalLong number,
    String id,
    Instant when,
    State state,
    Optional<String> description,
    Optional<EndNote> totals,
    Optional<String> problem) {
  /** Files of it that will never be visible. */
  List<Path> lost() {
    return totals.map(EndNote::lost).orElse(List.of());
  }

  /** How far a job is. */
  enum State {
    /** It is running, or its process was killed: it is not decided. */
    BEGUN("begun", false),

    /** It is committed, and its entry has not ended. */
    COMMITTED("committed, open", false),

    /** It is committed, was interrupted, and was left to an operator. */
    LEFT("left to an operator", false),

    /** All of its files are in place; Hive has yet to register partitions. */
    METASTORE_OPEN("metastore open", false),

    /** It is committed, and files of it are lost. */
    DAMAGED("damaged", true),

    /** It is committed, and nothing is left to do. */
    COMPLETE("committed and complete", true),

    /** A later job has replaced all of it. */
    SUPERSEDED("replaced by a later job", true),

    /** An operator has ended it as it was. */
    GIVEN_UP("given up", true),

    /** Nothing of it is visible. */
    ABORTED("aborted", true),

    /** Its records cannot be read. */
    UNREADABLE("records damaged", false);

    private final String text;
    private final boolean ended;

    State(String text, boolean ended) {
      this.text = text;
      this.ended = ended;
    }

    String text() {
      return text;
    }
  }

  /** Whether files are lost, or the user has something left to do. */
  boolean isWrong() {
    return state == State.DAMAGED || (!state.ended && state != State.BEGUN);
  }

  /** Whether it is open for too long. */
  boolean isStale(Instant now, Duration staleAfter) {
    return !state.ended && Duration.between(when, now).compareTo(staleAfter) > 0;
  }

  String[] row(Instant now, boolean stale) {
    return new String[] {
      state.text + (stale ? ", stale" : ""),
      number.isPresent() ? String.valueOf(number.getAsLong()) : "-",
      Units.age(Duration.between(when, now)),
      totals.map(it -> Units.count(it.files())).orElse("-"),
      totals.map(it -> Units.bytes(it.bytes())).orElse("-"),
      id,
      destination.toString()
    };
  }

  /** What a person has to know or to do; nothing where the row says all. */
  void explain(Output output) {
    Optional<String> next = next();
    if (next.isEmpty()) {
      return;
    }
    output.line("");
    output.line(
        "%s%s%s:"
            .formatted(
                number.isPresent() ? "Entry " + number.getAsLong() + ", job " : "Job ",
                id,
                description.map(it -> ", " + it).orElse("")));
    problem.ifPresent(it -> output.line("  " + it));
    lost().forEach(file -> output.line("  lost: " + file));
    output.line("  " + next.get());
  }

  void describe(ObjectNode node, Instant now, boolean stale) {
    number.ifPresent(it -> node.put("entry", it));
    node.put("job", id)
        .put("state", Output.word(state))
        .put("when", when.toString())
        .put("ageSeconds", Duration.between(when, now).toSeconds())
        .put("stale", stale);
    description.ifPresent(text -> node.put("description", text));
    totals.ifPresent(
        it ->
            node.put("files", it.files()).put("bytes", it.bytes()).put("replaced", it.replaced()));
    if (isLostUnknown()) {
      node.putNull("lost");
    } else {
      ArrayNode names = node.putArray("lost");
      lost().forEach(file -> names.add(file.toString()));
    }
    problem.ifPresent(text -> node.put("problem", text));
    next().ifPresent(text -> node.put("next", text));
  }

  /** What cannot be read does not name its files. */
  private boolean isLostUnknown() {
    return problem.isPresent();
  }

  private Optional<String> next() {
    String recover = "zerorename recover " + destination;
    String advice =
        switch (state) {
          case BEGUN ->
              "It is running, or was killed; a later job of the same user aborts it after"
                  + " zerorename.abandoned.after.";
          case COMMITTED ->
              "It is being executed, or was interrupted: " + recover + " completes it.";
          case LEFT ->
              lost().isEmpty()
                  ? "It was interrupted, and completing it could bring back what others have removed"
                      + " since, or it waits for one that is left. Look at the data; "
                      + recover
                      + " completes it."
                  : "The other files are visible, and those that it replaces as well. "
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
              isLostUnknown()
                  ? "It was ended as it is, and which of its files are lost is not known. Look at the"
                      + " data, and run it again."
                  : lost().isEmpty()
                      ? null
                      : "It was ended without them. Load only the lost rows again, in a new job.";
          case UNREADABLE -> "Restore its records, or end it as it is: " + recover + " --give-up";
          case COMPLETE, SUPERSEDED, ABORTED -> null;
        };
    return Optional.ofNullable(advice);
  }
}
