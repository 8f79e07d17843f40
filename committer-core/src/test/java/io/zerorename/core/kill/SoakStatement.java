package io.zerorename.core.kill;

import io.zerorename.core.recovery.Recovered;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A statement as its process has told of it, a line for each of its steps.
 *
 * @param begun when, in milliseconds
 * @param done when its success was acknowledged; empty where it was not, or its process was killed
 * @param number of its entry, as it was told; empty also where a TRUNCATE needed none
 * @param failure what it was told instead
 */
record SoakStatement(
    String id,
    SoakJob.Kind kind,
    long begun,
    Optional<Long> done,
    Optional<Long> number,
    Optional<String> failure) {
  private static final String BEGUN = "begun";
  private static final String DONE = "done";
  private static final String FAILED = "failed";
  private static final String RECOVERED = "recovered";

  static String begun(SoakJob job) {
    return String.join(
        " ", BEGUN, job.id(), job.kind().name(), String.valueOf(System.currentTimeMillis()));
  }

  static String done(SoakJob job, Optional<Long> number) {
    return String.join(
        " ",
        DONE,
        job.id(),
        number.map(String::valueOf).orElse("-"),
        String.valueOf(System.currentTimeMillis()));
  }

  static String failed(SoakJob job, Exception failure) {
    return String.join(" ", FAILED, job.id(), failure.toString().replace('\n', ' '));
  }

  static String recovered(Recovered recovered) {
    return String.join(
        " ",
        RECOVERED,
        String.valueOf(recovered.number()),
        recovered.getClass().getSimpleName(),
        recovered.message().replace('\n', ' '));
  }

  static boolean isBegun(String line) {
    return line.startsWith(BEGUN + " ");
  }

  /** An entry of another process that a recovery could not complete then. */
  static boolean isFailedRecovery(String line) {
    return line.startsWith(RECOVERED + " ")
        && List.of("Failed", "Behind").contains(line.split(" ", -1)[2]);
  }

  /** The statements of a process, in their order. */
  static List<SoakStatement> of(List<String> output) {
    Map<String, SoakStatement> statements = new LinkedHashMap<>();
    for (String line : output) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case BEGUN ->
            statements.put(
                words[1],
                new SoakStatement(
                    words[1],
                    SoakJob.Kind.valueOf(words[2]),
                    Long.parseLong(words[3]),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()));
        case DONE ->
            statements.computeIfPresent(
                words[1],
                (id, it) ->
                    new SoakStatement(
                        id,
                        it.kind,
                        it.begun,
                        Optional.of(Long.parseLong(words[3])),
                        words[2].equals("-")
                            ? Optional.empty()
                            : Optional.of(Long.valueOf(words[2])),
                        Optional.empty()));
        case FAILED ->
            statements.computeIfPresent(
                words[1],
                (id, it) ->
                    new SoakStatement(
                        id,
                        it.kind,
                        it.begun,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(line)));
        default -> {
          // Of a recovery.
        }
      }
    }
    return new ArrayList<>(statements.values());
  }
}
