package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A job, as the log of its destination shows it.
 *
 * @param when it was decided; where it was not, when it proposed or last gave a sign of life
 * @param description in a person's words, as long as it is not at its end
 * @param totals what it wrote, as far as is known
 * @param missing files of it that are neither pending nor there: lost where it is damaged
 * @param problem why its records cannot be read
 */
public record LoggedJob(
    String id,
    Instant when,
    State state,
    Optional<String> description,
    Optional<Totals> totals,
    List<Path> missing,
    Optional<String> problem) {
  public LoggedJob {
    requireNonNull(id, "id");
    requireNonNull(when, "when");
    requireNonNull(state, "state");
    requireNonNull(description, "description");
    requireNonNull(totals, "totals");
    missing = List.copyOf(missing);
    requireNonNull(problem, "problem");
  }

  /** What a job wrote. */
  public record Totals(int files, long bytes, int replaced) {}

  /** How far a job is. */
  public enum State {
    /** It is running, or its process was killed: it has proposed nothing. */
    BEGUN("begun"),

    /** It has written a plan, and was not decided. */
    PROPOSED("proposed"),

    /** It is committed, and something is left to do. */
    COMMITTED("committed, open"),

    /** It is committed, and files of it were missing that may yet appear. */
    MISSING("files missing"),

    /** It is committed, and files of it are lost. */
    DAMAGED("damaged"),

    /** It is committed, and nothing is left to do. */
    COMPLETE("committed and complete"),

    /** An operator has ended it as it was. */
    GIVEN_UP("given up"),

    /** Nothing of it is visible. */
    ABORTED("aborted"),

    /** Its records cannot be read. */
    UNREADABLE("records damaged");

    private final String text;

    State(String text) {
      this.text = text;
    }

    /** In a few words. */
    public String text() {
      return text;
    }

    /** Whether it is at its end. */
    public boolean isEnded() {
      return this == COMPLETE || this == GIVEN_UP || this == ABORTED;
    }
  }
}
