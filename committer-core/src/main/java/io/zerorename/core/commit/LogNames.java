package io.zerorename.core.commit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How the records of a {@link CommitLog} are named.
 *
 * <pre>
 * open/&lt;job id&gt;.&lt;proposal&gt;.&lt;n&gt;.json   a plan, or its last part, until it was carried out
 * parts/&lt;job id&gt;.&lt;proposal&gt;.&lt;n&gt;.json  the other parts of a large plan
 * open/&lt;job id&gt;.&lt;proposal&gt;.puts-until-&lt;millis&gt;.json
 *                                    files of it may appear until then
 * decisions/&lt;job id&gt;.json             COMMIT of one of the proposals, or ABORT
 * missing/&lt;job id&gt;.json               files of a committed job that are not there, and since when
 * damaged/&lt;job id&gt;.json               files of a committed job that are lost
 * finished/&lt;job id&gt;.json              nothing is left to do
 * </pre>
 */
final class LogNames {
  static final String OPEN = "open";
  static final String PARTS = "parts";
  static final String DECISIONS = "decisions";
  private static final String FINISHED = "finished";
  private static final String MISSING = "missing";
  private static final String DAMAGED = "damaged";

  /** Of a plan; that many hold hundreds of millions of files. */
  private static final int MOST_PARTS = 100_000;

  private static final String SUFFIX = ".json";

  /** Begins the last part of the name of an announcement; the time follows. */
  private static final String PUTS_UNTIL = "puts-until-";

  private LogNames() {}

  static String decision(String jobId) {
    return DECISIONS + "/" + jobId + SUFFIX;
  }

  /** The job that a decision is about; empty where that is no decision of ours. */
  static Optional<String> jobOfDecision(String name) {
    return name.endsWith(SUFFIX)
        ? Optional.of(name.substring(DECISIONS.length() + 1, name.length() - SUFFIX.length()))
        : Optional.empty();
  }

  static String finished(String jobId) {
    return FINISHED + "/" + jobId + SUFFIX;
  }

  static String missing(String jobId) {
    return MISSING + "/" + jobId + SUFFIX;
  }

  static String damaged(String jobId) {
    return DAMAGED + "/" + jobId + SUFFIX;
  }

  /**
   * A document of a plan.
   *
   * @param number from 0, in the order of the plan
   * @param last whether the plan is whole with it
   */
  static String document(String jobId, String proposal, int number, boolean last) {
    return (last ? OPEN : PARTS) + "/" + jobId + "." + proposal + "." + number + SUFFIX;
  }

  /** An announcement that files of a plan may appear until a time. */
  static String announcement(String jobId, String proposal, Instant until) {
    return OPEN + "/" + jobId + "." + proposal + "." + PUTS_UNTIL + until.toEpochMilli() + SUFFIX;
  }

  /**
   * The job that something in {@code open} belongs to; empty where it is not ours. Read from the
   * end, because a job's id may have dots.
   */
  static Optional<String> jobOfOpen(String name) {
    if (!name.endsWith(SUFFIX)) {
      return Optional.empty();
    }
    int part = name.lastIndexOf('.', name.length() - SUFFIX.length() - 1);
    int proposal = part < 0 ? -1 : name.lastIndexOf('.', part - 1);
    return proposal < 0
        ? Optional.empty()
        : Optional.of(name.substring(OPEN.length() + 1, proposal));
  }

  /** Whether two things in {@code open} belong to the same proposal. */
  static boolean isOfOne(String name, String other) {
    return proposal(name).equals(proposal(other));
  }

  /** All of a name but its last part, which differs between the things of a proposal. */
  private static String proposal(String name) {
    return name.substring(0, name.lastIndexOf('.', name.length() - SUFFIX.length() - 1));
  }

  /** The documents of which this is the last, in order; just the name where it is none. */
  static List<String> withEarlierParts(String jobId, String name) {
    String rest =
        name.substring(OPEN.length() + 2 + jobId.length(), name.length() - SUFFIX.length());
    int dot = rest.lastIndexOf('.');
    List<String> names = new ArrayList<>();
    try {
      int last = Integer.parseInt(rest.substring(dot + 1));
      if (last > MOST_PARTS) {
        throw new NumberFormatException(name);
      }
      for (int number = 0; number < last; number++) {
        names.add(document(jobId, rest.substring(0, dot), number, false));
      }
    } catch (NumberFormatException e) {
      // An announcement, or no name of ours.
      return List.of(name);
    }
    names.add(name);
    return names;
  }

  /** Until when small files are written; empty where it is no announcement. */
  static Optional<Instant> putsUntil(String name) {
    int at = name.lastIndexOf("." + PUTS_UNTIL);
    if (at < 0) {
      return Optional.empty();
    }
    String millis = name.substring(at + 1 + PUTS_UNTIL.length(), name.length() - SUFFIX.length());
    try {
      return Optional.of(Instant.ofEpochMilli(Long.parseLong(millis)));
    } catch (NumberFormatException e) {
      // No name of ours.
      return Optional.empty();
    }
  }
}
