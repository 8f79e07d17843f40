package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PathsJson;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Tells lost files from those that the store is still joining. It may work on a Complete for
 * minutes, in which there is neither the upload any more nor its object yet. Whoever does not know
 * what was sent notes what is missing; only what somebody finds missing again, long enough after
 * that, is lost.
 */
final class MissingFiles {
  private final CommitLog log;
  private final Duration settling;

  /**
   * @param settling how long the store may be at work on a Complete
   */
  MissingFiles(CommitLog log, Duration settling) {
    this.log = requireNonNull(log, "log");
    this.settling = requireNonNull(settling, "settling");
  }

  /**
   * What was missing.
   *
   * @param since when that was seen first, by the log's clock
   */
  record Note(Instant since, List<Path> missing) {
    private static final VersionedJson JSON =
        new VersionedJson("note of missing files", 1, "It was damaged after it was written.");

    Note {
      since = since.truncatedTo(ChronoUnit.MILLIS);
      missing = List.copyOf(missing);
    }

    byte[] toJson() throws IOException {
      return JSON.write(
          json -> {
            json.writeNumberField("since", since.toEpochMilli());
            PathsJson.write(json, "missing", missing);
          });
    }

    static Note read(byte[] document, String where) throws IOException {
      return JSON.read(
          document,
          where,
          root ->
              new Note(
                  Instant.ofEpochMilli(JsonFields.number(root, "since")),
                  PathsJson.read(root, "missing")));
    }
  }

  /**
   * Makes sure that files are lost.
   *
   * @param missing what has neither an upload nor an object
   * @param before how long ago the first of them was looked for
   * @throws FilesMissingException where one of them may yet appear
   * @throws IOException where, besides, that could not be noted
   */
  void requireLost(OutputJob job, List<Path> missing, Duration before) throws IOException {
    Instant now = log.now();
    // An upload that was still there then may have been completed since. Of one that was gone, no
    // request that was sent later can have an effect.
    Optional<Note> earlier =
        noted(job.id(), now).filter(note -> new HashSet<>(note.missing()).containsAll(missing));
    Note note = earlier.orElse(new Note(now, missing));
    if (earlier.isEmpty()) {
      note(job, note);
    }
    Instant lostFrom = note.since().plus(settling);
    // Somebody else may have noted them while this process was looking.
    Instant looked = earlier.isPresent() ? now.minus(before) : now;
    if (looked.isBefore(lostFrom)) {
      throw new FilesMissingException(job, missing, lostFrom);
    }
  }

  /**
   * Spares another look while what was missing at the last one may yet appear.
   *
   * @throws FilesMissingException where that is so
   */
  void requireSettled(OutputJob job) throws IOException {
    Instant now = log.now();
    Optional<Note> young =
        noted(job.id(), now).filter(note -> now.isBefore(note.since().plus(settling)));
    if (young.isPresent()) {
      throw new FilesMissingException(
          job, young.get().missing(), young.get().since().plus(settling));
    }
  }

  private void note(OutputJob job, Note note) throws IOException {
    try {
      log.noteMissing(job.id(), note);
    } catch (IOException e) {
      throw new IOException(
          FilesMissingException.describe(note.missing())
              + " That could not be noted, so that nobody can tell later whether they are lost: "
              + Sentence.of(e),
          e);
    }
  }

  /** An earlier note; none where it is later than a clock that is right can have written. */
  private Optional<Note> noted(String jobId, Instant now) throws IOException {
    return log.missing(jobId).filter(note -> !note.since().isAfter(now.plus(settling)));
  }
}
