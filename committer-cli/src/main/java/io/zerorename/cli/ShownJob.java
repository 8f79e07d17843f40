package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Units;
import io.zerorename.core.recovery.LoggedJob;
import io.zerorename.core.recovery.LoggedJob.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A job as {@code zerorename status} shows it.
 *
 * @param destination to which it wrote
 * @param stale whether it is open for too long
 */
record ShownJob(LoggedJob job, Path destination, Duration age, boolean stale) {
  static ShownJob of(LoggedJob job, Path destination, Instant now, Duration staleAfter) {
    Duration age = Duration.between(job.when(), now);
    return new ShownJob(
        job, destination, age, !job.state().isEnded() && age.compareTo(staleAfter) > 0);
  }

  /** Whether files are lost, or the user has something left to do. */
  boolean isWrong() {
    return job.state() == State.DAMAGED || (!job.state().isEnded() && job.state() != State.BEGUN);
  }

  String[] row() {
    return new String[] {
      job.state().text() + (stale ? ", stale" : ""),
      job.number().isPresent() ? String.valueOf(job.number().getAsLong()) : "-",
      Units.age(age),
      job.totals().map(it -> Units.count(it.files())).orElse("-"),
      job.totals().map(it -> Units.bytes(it.bytes())).orElse("-"),
      job.id(),
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
                job.number().isPresent() ? "Entry " + job.number().getAsLong() + ", job " : "Job ",
                job.id(),
                job.description().map(it -> ", " + it).orElse("")));
    job.problem().ifPresent(problem -> output.line("  " + problem));
    job.lost().forEach(file -> output.line("  lost: " + file));
    output.line("  " + next.get());
  }

  void describe(ObjectNode node) {
    job.number().ifPresent(number -> node.put("entry", number));
    node.put("job", job.id())
        .put("state", Output.word(job.state()))
        .put("when", job.when().toString())
        .put("ageSeconds", age.toSeconds())
        .put("stale", stale);
    job.description().ifPresent(text -> node.put("description", text));
    job.totals()
        .ifPresent(
            totals ->
                node.put("files", totals.files())
                    .put("bytes", totals.bytes())
                    .put("replaced", totals.replaced()));
    if (isLostUnknown()) {
      node.putNull("lost");
    } else {
      ArrayNode lost = node.putArray("lost");
      job.lost().forEach(file -> lost.add(file.toString()));
    }
    job.problem().ifPresent(problem -> node.put("problem", problem));
    next().ifPresent(text -> node.put("next", text));
  }

  /** What cannot be read does not name its files. */
  private boolean isLostUnknown() {
    return job.problem().isPresent();
  }

  private Optional<String> next() {
    String recover = "zerorename recover " + destination;
    String advice =
        switch (job.state()) {
          case BEGUN ->
              "It is running, or was killed; a later job of the same user aborts it after"
                  + " zerorename.abandoned.after.";
          case COMMITTED ->
              "It is being executed, or was interrupted: " + recover + " completes it.";
          case LEFT ->
              job.lost().isEmpty()
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
                  : job.lost().isEmpty()
                      ? null
                      : "It was ended without them. Load only the lost rows again, in a new job.";
          case UNREADABLE -> "Restore its records, or end it as it is: " + recover + " --give-up";
          case COMPLETE, SUPERSEDED, ABORTED -> null;
        };
    return Optional.ofNullable(advice);
  }
}
