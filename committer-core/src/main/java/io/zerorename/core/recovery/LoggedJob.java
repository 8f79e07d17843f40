package io.zerorename.core.recovery;

import io.zerorename.core.log.EndNote;
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
public record LoggedJob(
    OptionalLong number,
    String id,
    Instant when,
    State state,
    Optional<String> description,
    Optional<EndNote> totals,
    Optional<String> problem) {
  /** Files of it that will never be visible. */
  public List<Path> lost() {
    return totals.map(EndNote::lost).orElse(List.of());
  }

  /** How far a job is. */
  public enum State {
    /** It is running, or its process was killed: it is not decided. */
    BEGUN("begun"),

    /** It is committed, and its entry has not ended. */
    COMMITTED("committed, open"),

    /** It is committed, was interrupted, and was left to an operator. */
    LEFT("left to an operator"),

    /** All of its files are in place; Hive has yet to register partitions. */
    METASTORE_OPEN("metastore open"),

    /** It is committed, and files of it are lost. */
    DAMAGED("damaged"),

    /** It is committed, and nothing is left to do. */
    COMPLETE("committed and complete"),

    /** A later job has replaced all of it. */
    SUPERSEDED("replaced by a later job"),

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

    public String text() {
      return text;
    }

    /** Whether nothing is left to do for it. */
    public boolean isEnded() {
      return switch (this) {
        case COMPLETE, SUPERSEDED, GIVEN_UP, ABORTED, DAMAGED -> true;
        case BEGUN, COMMITTED, LEFT, METASTORE_OPEN, UNREADABLE -> false;
      };
    }
  }
}
